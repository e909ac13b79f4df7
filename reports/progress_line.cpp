#include "reports/progress_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/text.hpp"
#include "ums/base/printable.hpp"
#include "ums/base/text_wrap.hpp"

namespace reports {
namespace {

// Snapshots do not stop the run: a counter that is summed over several threads may appear slightly older than before.
double increase(std::uint64_t& last, std::uint64_t now) {
    const std::uint64_t before = std::exchange(last, std::max(last, now));
    return static_cast<double>(last - before);
}

// When there is no room, the last of these are left out first.
enum class Rank { always, waiting, time_left, io_rate, mb_rate, average, cycle, history };

struct Field {
    Rank rank;
    std::string text;
};

// An estimate from a few percent of a phase misleads more than it helps.
constexpr double kFractionMin = 0.02;

std::optional<std::uint64_t> remaining_us(const sim::Progress& progress) {
    if (progress.phase_duration_us > 0) return progress.phase_duration_us - std::min(progress.phase_duration_us, progress.elapsed_us);
    if (!(progress.done_fraction >= kFractionMin)) return std::nullopt;
    const double fraction = std::min(progress.done_fraction, 1.0);
    return static_cast<std::uint64_t>(static_cast<double>(progress.elapsed_us) * (1 - fraction) / fraction);
}

std::string remaining_text(const sim::Progress& progress) {
    const auto remaining = remaining_us(progress);
    return remaining ? clock_text(*remaining) : "--:--";
}

std::string cycle_text(const sim::Progress& progress) {
    if (progress.cycles == 1) return {};
    return progress.cycles == 0 ? fmt::format("cycle {}", progress.cycle) : fmt::format("cycle {}/{}", progress.cycle, progress.cycles);
}

// Four columns up to 9999 ms.
std::string milliseconds_text(std::uint64_t duration_us) {
    const double milliseconds = static_cast<double>(duration_us) / 1e3;
    return milliseconds < 99.95 ? fmt::format("{:4.1f}", milliseconds) : fmt::format("{:4.0f}", milliseconds);
}

std::uint64_t worst_average_us(const sim::Progress& progress) {
    std::uint64_t worst = 0;
    for (const auto& file : progress.files) worst = std::max(worst, file.average_io_duration_us);
    return worst;
}

std::string findings_text(const sim::Progress& progress) {
    return fmt::format("{} {}", progress.findings == 0 ? "findings" : "FINDINGS", progress.findings);
}

// What the end of the main run, or of the whole run, waits for.
std::string waiting_text(const sim::Progress& progress) {
    if (!progress.is_ending) return {};
    return fmt::format("ending: {} outstanding, the oldest for {:.1f} s", progress.outstanding_io,
                       static_cast<double>(progress.oldest_io_us) / 1e6);
}

std::string joined(const std::vector<Field>& fields, Rank up_to) {
    std::string line;
    for (const Field& field : fields) {
        if (field.rank > up_to || field.text.empty()) continue;
        if (!line.empty()) line += "  ";
        line += field.text;
    }
    return line;
}

std::string file_name(const std::string& path) { return ums::printable(std::string_view(path).substr(path.find_last_of('/') + 1)); }

}  // namespace

ProgressRates ProgressMeter::update(const sim::Progress& progress, std::uint64_t interval_us) {
    if (interval_us == 0) return rates_;
    const double seconds = static_cast<double>(interval_us) / 1e6;
    rates_.ios_per_second = increase(io_count_, progress.io_count) / seconds;
    rates_.mb_per_second = increase(io_bytes_, progress.io_bytes) / (1024.0 * 1024.0) / seconds;
    return rates_;
}

std::string progress_line(const sim::Progress& progress, const ProgressRates& rates, std::size_t width, const std::string& history) {
    const char* minus = remaining_us(progress) ? "-" : "";
    const std::vector<Field> fields{
        {Rank::always, pad_right(sim::name_of(progress.phase), 18)},
        {Rank::waiting, waiting_text(progress)},
        {Rank::cycle, cycle_text(progress)},
        {Rank::time_left, pad_left(clock_text(progress.elapsed_us), 5) + " " + pad_left(minus + remaining_text(progress), 6)},
        {Rank::io_rate, pad_left(rate_text(rates.ios_per_second), 5) + "/s"},
        {Rank::mb_rate, fmt::format("{:6.1f} MB/s", rates.mb_per_second)},
        {Rank::history, history.empty() ? history : pad_right(history, kSparklineColumns)},
        {Rank::average, "avg " + milliseconds_text(worst_average_us(progress)) + " ms"},
        {Rank::always, findings_text(progress)},
    };
    std::string line;
    for (const Rank rank :
         {Rank::history, Rank::cycle, Rank::average, Rank::mb_rate, Rank::io_rate, Rank::time_left, Rank::waiting, Rank::always}) {
        line = joined(fields, rank);
        if (ums::display_width(line) <= width) break;
    }
    if (ums::display_width(line) > width) line = findings_text(progress) + "  " + std::string(sim::name_of(progress.phase));
    if (ums::display_width(line) > width) line.resize(width);  // in this text, no character is wider than its bytes
    return pad_right(line, width);
}

std::string progress_plain(const sim::Progress& progress, const ProgressRates& rates) {
    std::string line(sim::name_of(progress.phase));
    if (const std::string cycle = cycle_text(progress); !cycle.empty()) line += ", " + cycle;
    line += fmt::format(", {} elapsed, {} left, {} IO/s, {:.1f} MB/s", clock_text(progress.elapsed_us), remaining_text(progress),
                        rate_text(rates.ios_per_second), rates.mb_per_second);
    for (std::size_t i = 0; i < progress.files.size(); ++i) {
        const auto& file = progress.files[i];
        line += fmt::format(", {}{} {:.1f} ms", i == 0 ? "average " : "", file_name(file.path),
                            static_cast<double>(file.average_io_duration_us) / 1e3);
    }
    if (progress.is_ending) line += ", " + waiting_text(progress);
    return line + ", " + findings_text(progress);
}

std::string sparkline(const std::deque<double>& values, std::size_t columns) {
    static constexpr std::array kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const auto begin = values.end() - static_cast<std::ptrdiff_t>(std::min(columns, values.size()));
    const double highest = begin == values.end() ? 0 : *std::max_element(begin, values.end());
    std::string line;
    for (auto value = begin; value != values.end(); ++value) {
        const double share = highest > 0 ? std::clamp(*value / highest, 0.0, 1.0) : 0;
        line += kBlocks[static_cast<std::size_t>(std::lround(share * (kBlocks.size() - 1)))];
    }
    return line;
}

}  // namespace reports
