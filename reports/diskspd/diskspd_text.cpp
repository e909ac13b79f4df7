#include "reports/diskspd/diskspd_text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/diskspd/diskspd_profile_text.hpp"
#include "reports/diskspd/diskspd_ranges.hpp"
#include "reports/diskspd/diskspd_size.hpp"
#include "ums/base/printable.hpp"

namespace reports {
namespace {

using sim::LatencyCounts;
using sim::MeasureCounts;
using sim::MeasureCpu;
using sim::MeasureDirection;
using sim::MeasureRow;
using sim::MeasureTimespanResults;

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kNsPerMs = 1e6;
constexpr std::string_view kStars = "*******************************************************************************\n";

MeasureCounts counts_of(const MeasureRow& row, MeasureDirection direction) {
    switch (direction) {
        case MeasureDirection::reads: return row.reads;
        case MeasureDirection::writes: return row.writes;
        case MeasureDirection::both: break;
    }
    return row.both();
}

double diskspd_rate(std::uint64_t amount, double seconds) { return seconds > 0 ? static_cast<double>(amount) / seconds : 0; }

// The older text has units of 1024 without the "i".
std::string file_size_text(std::uint64_t size_bytes, DiskspdTextStyle style) {
    std::string text = diskspd_size(size_bytes);
    if (style == DiskspdTextStyle::v2_0 && text.ends_with("iB")) text.erase(text.size() - 2, 1);
    return text;
}

std::string_view megabytes_text(DiskspdTextStyle style) { return style == DiskspdTextStyle::v2_0 ? " MB" : "MiB"; }

// " 0 1" or " 0 - 7": a run of three or more is shown by its ends.
std::string thread_list(const std::vector<MeasureRow>& rows, std::size_t target) {
    std::string text;
    std::uint32_t last = 0;
    std::uint32_t run = 0;  // threads after the first of the run
    const auto end_run = [&] {
        if (run > 0) text += fmt::format("{} {}", run > 1 ? " -" : "", last);
        run = 0;
    };
    for (const MeasureRow& row : rows) {
        if (row.target != target) continue;
        if (!text.empty() && row.thread == last + 1) {
            ++run;
        } else {
            end_run();
            text += fmt::format(" {}", row.thread);
        }
        last = row.thread;
    }
    end_run();
    return text;
}

std::vector<std::string> distinct_paths(const std::vector<DiskspdTarget>& targets) {
    std::vector<std::string> paths;
    for (const DiskspdTarget& target : targets) {
        if (std::find(paths.begin(), paths.end(), target.path) == paths.end()) paths.push_back(target.path);
    }
    return paths;
}

class SpanText {
public:
    SpanText(const DiskspdTimeSpan& wanted, const MeasureTimespanResults& found, DiskspdTextStyle style)
        : wanted_(wanted), found_(found), style_(style), seconds_(found.seconds()) {}

    [[nodiscard]] std::string text() const;

private:
    [[nodiscard]] std::string head() const;
    [[nodiscard]] std::string cpu_table() const;
    [[nodiscard]] std::string cpu_row(std::string_view name, const MeasureCpu& cpu) const;
    [[nodiscard]] std::string distributions() const;
    [[nodiscard]] std::string section(std::string_view title, MeasureDirection direction) const;
    [[nodiscard]] std::string border() const;
    [[nodiscard]] std::string figures(const MeasureRow& row, MeasureDirection direction) const;
    [[nodiscard]] std::string latencies() const;
    [[nodiscard]] MeasureRow total_of_path(std::string_view path) const;
    [[nodiscard]] std::string latency_table(const MeasureRow& row) const;

    const DiskspdTimeSpan& wanted_;
    const MeasureTimespanResults& found_;
    const DiskspdTextStyle style_;
    const double seconds_;
};

std::string SpanText::text() const {
    if (found_.duration_ns == 0) return "The test was interrupted before the measurements began. No results are displayed.\n";
    std::string text = head() + cpu_table() + distributions();
    text += section("Total IO", MeasureDirection::both);
    text += section("Read IO", MeasureDirection::reads);
    text += section("Write IO", MeasureDirection::writes);
    if (wanted_.measures_latency) text += latencies();
    return text;
}

std::string SpanText::head() const {
    std::string text = fmt::format("\nactual test time:\t{:.2f}s\nthread count:\t\t{}\n", seconds_, found_.thread_count);
    if (wanted_.thread_count != 0 && wanted_.request_count != 0) text += fmt::format("request count:\t\t{}\n", wanted_.request_count);
    if (style_ != DiskspdTextStyle::v2_2) text += fmt::format("proc count:\t\t{}\n", found_.cpus.size());
    return text;
}

std::string SpanText::cpu_row(std::string_view name, const MeasureCpu& cpu) const {
    const std::string_view blank = style_ == DiskspdTextStyle::v2_2 ? "" : " ";
    return fmt::format("{}| {:6.2f}%| {:6.2f}%| {}{:6.2f}%| {:6.2f}%\n", name, cpu.usage_percent(), cpu.user_percent, blank,
                       cpu.kernel_percent, cpu.idle_percent);
}

std::string SpanText::cpu_table() const {
    const bool is_old = style_ != DiskspdTextStyle::v2_2;
    const std::string border = std::string(is_old ? 43 : 40, '-') + "\n";
    std::string text = is_old ? "\nCPU |  Usage |  User  |  Kernel |  Idle\n" : "\nCPU |  Usage |  User  | Kernel |  Idle\n";
    text += border;
    for (const MeasureCpu& cpu : found_.cpus) text += cpu_row(fmt::format("{:>4}", cpu.id), cpu);
    return text + border + cpu_row("avg.", found_.cpu_mean());
}

std::string SpanText::distributions() const {
    std::string text;
    for (std::size_t i = 0; i < found_.targets.size() && i < wanted_.targets.size(); ++i) {
        const std::vector<DiskspdRange> ranges = effective_ranges(wanted_.targets[i], found_.targets[i].size_bytes);
        if (ranges.empty()) continue;
        if (text.empty()) text = "\nEffective IO Distributions\n--------------------------\n";
        text += fmt::format("target: {} [thread:{}]\n", ums::printable(wanted_.targets[i].path), thread_list(found_.rows, i));
        text += diskspd_distribution_text(ranges, false, "", false);
    }
    return text;
}

std::string SpanText::border() const {
    std::size_t columns = 66 + 12;
    if (wanted_.measures_latency) columns += 11 + 12;
    if (wanted_.gathers_iops) columns += 13;
    return std::string(columns, '-') + "\n";
}

std::string SpanText::section(std::string_view title, MeasureDirection direction) const {
    std::string text = fmt::format("\n{}\nthread |       bytes     |     I/Os     |    {}/s   |  I/O per s {}{}{}|  file\n", title,
                                   megabytes_text(style_), wanted_.measures_latency ? "|  AvgLat  " : "",
                                   wanted_.gathers_iops ? "| IopsStdDev " : "", wanted_.measures_latency ? "| LatStdDev " : "");
    text += border();
    for (const MeasureRow& row : found_.rows) {
        const std::string path = ums::printable(wanted_.targets.at(row.target).path);
        text += fmt::format("{:>6} | {} | {} ({})\n", row.thread, figures(row, direction), path,
                            file_size_text(found_.targets.at(row.target).size_bytes, style_));
    }
    return text + border() + fmt::format("total:   {}\n", figures(found_.total(), direction));
}

std::string SpanText::figures(const MeasureRow& row, MeasureDirection direction) const {
    const MeasureCounts counts = counts_of(row, direction);
    std::string text = fmt::format("{:>15} | {:>12} | {:>10.2f} | {:>10.2f}", counts.bytes, counts.requests,
                                   diskspd_rate(counts.bytes, seconds_) / kMib, diskspd_rate(counts.requests, seconds_));
    if (wanted_.measures_latency) text += fmt::format(" | {:>8.3f}", counts.latency.mean_ns() / kNsPerMs);
    if (wanted_.gathers_iops) {
        text += fmt::format(" | {:>10.2f}", sim::iops_deviation(row, wanted_.interval_ms, found_.duration_ns, direction));
    }
    if (wanted_.measures_latency) {
        text += counts.latency.count() == 0 ? " |       N/A" : fmt::format(" |  {:>8.3f}", counts.latency.deviation_ns() / kNsPerMs);
    }
    return text;
}

std::string SpanText::latencies() const {
    std::string text = style_ == DiskspdTextStyle::v2_2 ? "" : "\n\n";
    const std::vector<std::string> paths = distinct_paths(wanted_.targets);
    if (paths.size() > 1 && style_ != DiskspdTextStyle::v2_0) {
        for (const std::string& path : paths) {
            text += fmt::format("\n{}{}\n", style_ == DiskspdTextStyle::v2_2 ? "Latency distribution: " : "", ums::printable(path));
            text += latency_table(total_of_path(path));
        }
    }
    switch (style_) {
        case DiskspdTextStyle::v2_2: text += "\nTotal latency distribution:\n"; break;
        case DiskspdTextStyle::v2_1: text += "\ntotal:\n"; break;
        case DiskspdTextStyle::v2_0: break;
    }
    return text + latency_table(found_.total());
}

// Several targets may name the same file: then its table is that of all of them.
MeasureRow SpanText::total_of_path(std::string_view path) const {
    MeasureRow sum;
    for (const MeasureRow& row : found_.rows) {
        if (wanted_.targets.at(row.target).path == path) sum.merge(row);
    }
    return sum;
}

std::string SpanText::latency_table(const MeasureRow& row) const {
    struct Line {
        std::string_view name;
        double percent;
    };
    constexpr std::array kLines{Line{"min", 0},
                                Line{"25th", 25},
                                Line{"50th", 50},
                                Line{"75th", 75},
                                Line{"90th", 90},
                                Line{"95th", 95},
                                Line{"99th", 99},
                                Line{"3-nines", 99.9},
                                Line{"4-nines", 99.99},
                                Line{"5-nines", 99.999},
                                Line{"6-nines", 99.9999},
                                Line{"7-nines", 99.99999},
                                Line{"8-nines", 99.999999},
                                Line{"9-nines", 99.9999999},
                                Line{"max", 100}};
    const LatencyCounts both = row.both().latency;
    const auto cell = [](const LatencyCounts& latency, double percent) {
        if (latency.count() == 0) return std::string("N/A");
        return fmt::format("{:.3f}", static_cast<double>(latency.percentile_ns(percent)) / kNsPerMs);
    };
    std::string text = "  %-ile |  Read (ms) | Write (ms) | Total (ms)\n----------------------------------------------\n";
    for (const Line& line : kLines) {
        if (style_ == DiskspdTextStyle::v2_0 && line.name == "9-nines") continue;
        text += fmt::format("{:>7} | {:>10} | {:>10} | {:>10}\n", line.name, cell(row.reads.latency, line.percent),
                            cell(row.writes.latency, line.percent), cell(both, line.percent));
    }
    return text;
}

std::string totals_row(std::string_view name, const MeasureCounts& counts, double seconds) {
    return fmt::format("{:<7}| {:>15} | {:>12} | {:>10.2f} | {:>10.2f}\n", name, counts.bytes, counts.requests,
                       diskspd_rate(counts.bytes, seconds) / kMib, diskspd_rate(counts.requests, seconds));
}

// Sums over all time spans.
std::string totals_text(const sim::MeasureResults& results, DiskspdTextStyle style) {
    MeasureRow all;
    double seconds = 0;
    for (const MeasureTimespanResults& span : results.timespans) {
        all.reads.merge(span.total().reads);
        all.writes.merge(span.total().writes);
        seconds += span.seconds();
    }
    const std::string border = std::string(79, '-') + "\n";
    return fmt::format(
        "\n\nTotals:\n{}\ntype   |       bytes     |     I/Os     |    {}/s   |  I/O per s\n{}{}{}{}{}\ntotal test time:\t{:.2f}s\n",
        kStars, megabytes_text(style), border, totals_row("write", all.writes, seconds), totals_row("read", all.reads, seconds), border,
        totals_row("total", all.both(), seconds), seconds);
}

}  // namespace

std::string diskspd_text(const DiskspdDocument& document, DiskspdTextStyle style) {
    std::string text = diskspd_profile_text(document.profile, style);
    // The text of 2014 has an empty line instead.
    text += style == DiskspdTextStyle::v2_0 ? "\n" : diskspd_system_text(document.system);
    const auto& found = document.results.timespans;
    for (std::size_t i = 0; i < found.size() && i < document.profile.time_spans.size(); ++i) {
        text += fmt::format("\nResults for timespan {}:\n{}", i + 1, kStars);
        text += SpanText(document.profile.time_spans[i], found[i], style).text();
    }
    if (found.size() > 1) text += totals_text(document.results, style);
    return text;
}

}  // namespace reports
