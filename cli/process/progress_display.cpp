#include "cli/process/progress_display.hpp"

#include "reports/progress_line.hpp"

namespace cli {

void ProgressDisplay::update(const sim::Progress& progress, std::uint64_t now_us) {
    if (!is_wanted_) return;
    if (!console_.redraws()) return add_plain_line(progress, now_us);
    const reports::ProgressRates rates = meter_.update(progress, now_us - shown_us_);
    shown_us_ = now_us;
    throughput_history_.push_back(rates.mb_per_second);
    if (throughput_history_.size() > reports::kSparklineColumns) throughput_history_.pop_front();
    const std::string history = console_.shows_utf8() ? reports::sparkline(throughput_history_, reports::kSparklineColumns) : "";
    // Leaves one column free, because some terminals wrap a full line.
    line_ = reports::progress_line(progress, rates, console_.columns() - 1, history);
}

void ProgressDisplay::add_plain_line(const sim::Progress& progress, std::uint64_t now_us) {
    const bool is_new_phase = progress.phase != phase_ || progress.cycle != cycle_;
    if (!is_new_phase && now_us - shown_us_ < kPlainIntervalUs) return;
    const reports::ProgressRates rates = meter_.update(progress, now_us - shown_us_);
    console_.add_message(reports::progress_plain(progress, rates) + "\n");
    shown_us_ = now_us;
    phase_ = progress.phase;
    cycle_ = progress.cycle;
}

}  // namespace cli
