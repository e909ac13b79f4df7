#include "cli/measuring/measure_run.hpp"

#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>

#include <fmt/format.h>

#include "cli/process/composite_sink.hpp"
#include "cli/process/console_sink.hpp"
#include "cli/process/run_control.hpp"
#include "cli/process/stop_signals.hpp"
#include "reports/text.hpp"
#include "sim/bench/kept_files.hpp"
#include "sim/bench/measurement.hpp"
#include "sim/errors.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {
namespace {

std::string_view phase_text(sim::MeasurePhase phase) {
    switch (phase) {
        case sim::MeasurePhase::preparing: return "preparing the files";
        case sim::MeasurePhase::warm_up: return "warming up";
        case sim::MeasurePhase::measuring: return "measuring";
        case sim::MeasurePhase::cool_down: return "cooling down";
        case sim::MeasurePhase::reading_back: return "reading back";
        case sim::MeasurePhase::done: return "done";
    }
    return "";
}

// The current measurement, as the thread for signals and progress sees it.
class CurrentMeasurement {
public:
    void begin(sim::Measurement& measurement, const std::string& title) {
        const std::lock_guard guard(mutex_);
        measurement_ = &measurement;
        title_ = title;
        requests_ = 0;
        if (is_stopped_) measurement.request_stop();
    }
    void end() {
        const std::lock_guard guard(mutex_);
        measurement_ = nullptr;
    }
    void stop() {
        const std::lock_guard guard(mutex_);
        is_stopped_ = true;
        if (measurement_ != nullptr) measurement_->request_stop();
    }
    [[nodiscard]] bool is_stopped() const {
        const std::lock_guard guard(mutex_);
        return is_stopped_;
    }
    // Must be called once a second.
    [[nodiscard]] std::string progress() {
        const std::lock_guard guard(mutex_);
        if (measurement_ == nullptr) return "";
        const sim::MeasureProgress progress = measurement_->progress();
        const std::uint64_t new_requests = progress.requests - requests_;
        requests_ = progress.requests;
        return fmt::format("{}{}{}, {} s, {}/s", title_, title_.empty() ? "" : ": ", phase_text(progress.phase),
                           progress.phase_ns / 1'000'000'000, reports::rate_text(static_cast<double>(new_requests)));
    }

private:
    mutable std::mutex mutex_;
    sim::Measurement* measurement_ = nullptr;
    std::string title_;
    std::uint64_t requests_ = 0;
    bool is_stopped_ = false;
};

}  // namespace

bool RoundPlan::is_enough(const reports::MeasureRounds& measured) const {
    if (measured.requests_per_s.size() >= rounds) return true;
    if (until_stable) return measured.is_steady();
    if (!within_percent) return false;
    const reports::SampleSummary rate = reports::summary_of(measured.requests_per_s);
    // Two values may agree by chance.
    return rate.count >= 3 && rate.half_interval_percent().value_or(100) <= *within_percent;
}

void MeasureSession::run(const Work& work) {
    const GracefulStop stop;
    const ums::RealClock clock;
    ums::PosixStorage storage;
    CurrentMeasurement current;
    RunControl* control = nullptr;
    ConsoleSink console_sink(console_, [&control] { control->wake(); }, {.has_log = false});
    CompositeSink sink({&console_sink, &findings_});
    RunControl run_control(stop, {.on_stop_signal =
                                      [&](int) {
                                          erase_line_at_exit(console_.redraws());
                                          current.stop();
                                      },
                                  .on_wake = [&] { console_.flush(""); },
                                  .on_second = [&] { console_.flush(current.progress()); }});
    control = &run_control;
    sim::KeptFiles kept(storage);
    const Measure measure = [&](const sim::MeasureSpec& spec, const std::string& title) {
        sim::Measurement measurement(spec, storage, clock, sink, &kept);
        current.begin(measurement, title);
        const auto end = [&current](void*) { current.end(); };
        const std::unique_ptr<void, decltype(end)> guard(&current, end);
        return measurement.run();
    };
    run_control.run([&] { work(measure, [&] { return current.is_stopped(); }); });
}

sim::MeasureResults measure_rounds(const MeasureSession::Measure& measure, const std::function<bool()>& is_stopped,
                                   const sim::MeasureSpec& spec, const RoundPlan& plan, reports::MeasureRounds& rounds,
                                   const std::function<void(const sim::MeasureResults&)>& on_round) {
    rounds.asked_for_steady_state = plan.until_stable;
    sim::MeasureResults results;
    do {
        const std::size_t number = rounds.requests_per_s.size() + 1;
        sim::MeasureSpec round = spec;
        for (sim::MeasureTimespan& timespan : round.timespans) timespan.round = static_cast<std::uint32_t>(number - 1);
        try {
            results =
                measure(round, plan.rounds == 1 ? std::string()
                                                : fmt::format("round {} of {}{}", number,
                                                              plan.until_stable || plan.within_percent ? "at most " : "", plan.rounds));
        } catch (...) {
            // What the rounds before it have measured is not lost with it.
            if (number == 1) throw;
            results.failure_reason = sim::message_of(std::current_exception());
        }
        if (results.timespans.empty() || results.stopped || !results.failure_reason.empty() || results.finding_count > 0) return results;
        rounds.add(results.timespans.back());
        on_round(results);
    } while (!is_stopped() && !plan.is_enough(rounds));
    return results;
}

void size_missing_files(sim::MeasureSpec& spec) {
    for (sim::MeasureTarget& target : spec.timespans.front().targets) {
        std::error_code error;
        const bool is_missing = std::filesystem::symlink_status(target.path, error).type() == std::filesystem::file_type::not_found;
        if (is_missing && target.create_bytes == 0) target.create_bytes = kMeasureSizeBytes;
    }
}

}  // namespace cli
