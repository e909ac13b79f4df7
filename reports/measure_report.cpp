#include "reports/measure_report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/table.hpp"
#include "reports/text.hpp"
#include "ums/base/printable.hpp"
#include "ums/base/text_wrap.hpp"
#include "ums/base/units.hpp"

namespace reports {

namespace {

void add_counts(Table& table, const std::string& name, const sim::MeasureCounts& counts, const sim::MeasureTimespanResults& timespan) {
    if (counts.requests == 0) return;
    const sim::LatencyCounts& latency = counts.latency;
    const bool has_latency = latency.count() > 0;
    table.add_row({name, rounded_text(ums::per_second(counts.requests, timespan.duration_ns)),
                   fmt::format("{:.1f}", ums::per_second(counts.bytes, timespan.duration_ns) / (1 << 20)),
                   has_latency ? time_text(static_cast<std::uint64_t>(latency.mean_ns())) : "-", percentile_cell(latency, 50),
                   percentile_cell(latency, 99), percentile_cell(latency, 99.9), percentile_cell(latency, 99.99),
                   has_latency ? time_text(latency.max_ns()) : "-"});
}

std::string name_of_target(const sim::MeasureTimespanResults& timespan, std::uint32_t target) {
    const sim::MeasureTarget& spec = timespan.spec.targets[target];
    return ums::printable(spec.label.empty() ? timespan.targets[target].path
                                             : fmt::format("{} {}", spec.label, timespan.targets[target].path));
}

void add_target(Table& table, const std::string& name, const sim::MeasureRow& row, const sim::MeasureTimespanResults& timespan) {
    const bool is_mixed = row.reads.requests > 0 && row.writes.requests > 0;
    add_counts(table, name + ", reads", row.reads, timespan);
    add_counts(table, name + ", writes", row.writes, timespan);
    if (is_mixed) add_counts(table, name + ", both", row.both(), timespan);
}

std::string table_text(const sim::MeasureTimespanResults& timespan) {
    Table table(
        {{"", Table::Align::left, true}, {"requests/s"}, {"MB/s"}, {"mean"}, {"50 %"}, {"99 %"}, {"99.9 %"}, {"99.99 %"}, {"longest"}});
    for (std::uint32_t target = 0; target < timespan.targets.size(); ++target) {
        add_target(table, name_of_target(timespan, target), timespan.total_of_target(target), timespan);
    }
    if (timespan.targets.size() > 1) add_target(table, "all", timespan.total(), timespan);
    return table.text(120);
}

std::string machine_text(const sim::MeasureTimespanResults& timespan) {
    std::string text = fmt::format("  CPU         {:.0f} ns a request ({:.0f} % of one CPU)", timespan.cpu_ns_per_request(),
                                   ums::per_second((timespan.cpu_user_us + timespan.cpu_system_us) * 100, timespan.duration_ns) / 1e6);
    if (!timespan.cpus.empty()) {
        const auto busiest = std::max_element(timespan.cpus.begin(), timespan.cpus.end(),
                                              [](const auto& a, const auto& b) { return a.usage_percent() < b.usage_percent(); });
        const sim::MeasureCpu mean = timespan.cpu_mean();
        text += fmt::format("; of the machine's {} CPUs: user {:.0f} %, kernel {:.0f} %, idle {:.0f} %, busiest CPU {} {:.0f} %",
                            timespan.cpus.size(), mean.user_percent, mean.kernel_percent, mean.idle_percent, busiest->id,
                            busiest->usage_percent());
        if (mean.steal_percent >= 0.5) text += fmt::format(", stolen by the host {:.0f} %", mean.steal_percent);
    }
    text += '\n';
    for (const sim::MeasureDevice& device : timespan.devices) {
        text += fmt::format("  {:<10}  queue {:.1f} on average, busy {:.0f} %, wait {:.2f} ms; merged {} reads, {} writes\n",
                            ums::printable(device.name), device.queue_mean, device.busy_percent, device.wait_mean_ms,
                            count_text(device.reads_merged), count_text(device.writes_merged));
    }
    if (timespan.throttling.cpu_throttled_us > 0) {
        text += fmt::format(
            "  throttled   the control group held the CPU back for {} ({} periods): the figures show the limit, not the storage\n",
            duration_text(timespan.throttling.cpu_throttled_us), count_text(timespan.throttling.cpu_periods_throttled));
    }
    return text;
}

std::string verified_text(const sim::MeasureTimespanResults& timespan) {
    std::uint64_t verified = 0;
    std::uint64_t read_back = 0;
    std::uint64_t not_judged = 0;
    bool is_verified = false;
    for (const sim::MeasureTargetFacts& facts : timespan.targets) {
        is_verified = is_verified || facts.is_verified;
        verified += facts.pages_verified;
        read_back += facts.pages_read_back;
        not_judged += facts.pages_not_judged;
    }
    if (!is_verified) return "  verified    nothing: the data is not ioproof's pages, or verification is switched off\n";
    std::string text = fmt::format("  verified    {} when read, {} read back", counted(verified, "page"), count_text(read_back));
    if (not_judged > 0)
        text += fmt::format("; {} not judged: they were being written, or it is not known what they held", count_text(not_judged));
    return text + "\n";
}

// With the second of the cliff and the rate that can be sustained; empty if there was no cliff.
std::string burst_text(const sim::MeasureTimespanResults& timespan) {
    const auto cliff = burst_of(timespan);
    if (!cliff) return "";
    return fmt::format(
        "after {:.0f} s the rate fell from {} to {} requests/s and stayed there, as on a disk whose burst credits are used up. {} "
        "requests/s can be sustained.",
        static_cast<double>(cliff->at) * timespan.spec.iops_interval_ms / 1000, rounded_text(cliff->before), rounded_text(cliff->after),
        rounded_text(cliff->after));
}

}  // namespace

std::string time_text(std::uint64_t duration_ns) {
    if (duration_ns < 1000) return fmt::format("{} ns", duration_ns);
    if (duration_ns < 10'000'000) return fmt::format("{:.1f} us", static_cast<double>(duration_ns) / 1000);
    return duration_text(duration_ns / 1000);
}

std::string percentile_cell(const sim::LatencyCounts& latency, double percent) {
    if (!has_requests_beyond(static_cast<double>(latency.count()), percent)) return "-";
    return time_text(latency.percentile_ns(percent));
}

std::string measure_text(const sim::MeasureResults& results) {
    if (results.timespans.empty()) return "";
    const sim::MeasureTimespanResults& timespan = results.timespans.back();
    std::string text = fmt::format("{} on {}, engine {}, measured for {:.2f} s", counted(timespan.thread_count, "thread"),
                                   counted(timespan.cpu_count, "CPU"), timespan.engine, timespan.seconds());
    const bool is_measured = !timespan.targets.empty() && timespan.duration_ns > 0;  // or it was stopped during the warm-up
    if (is_measured && timespan.spec.warm_up_s > 0) text += fmt::format(" after {} s of warm-up", timespan.spec.warm_up_s);
    text += '\n';
    if (!timespan.engine_reason.empty()) text += fmt::format("{}\n", ums::printable(timespan.engine_reason));
    if (!is_measured) {
        text += "  nothing was measured\n";
    } else {
        text += table_text(timespan) + machine_text(timespan) + verified_text(timespan);
        const double deviation =
            sim::iops_deviation(timespan.total(), timespan.spec.iops_interval_ms, timespan.duration_ns, sim::MeasureDirection::both);
        if (rates_by_interval(timespan).size() > 1) {
            text += fmt::format("  evenness    the requests/s of intervals of {} ms have a standard deviation of {}\n",
                                timespan.spec.iops_interval_ms, rounded_text(deviation));
        }
    }
    if (const std::string pool = small_pool_text(timespan); !pool.empty()) text += ums::wrap(pool, 120, "  engine      ", 14);
    for (const std::string& hole : hole_texts(timespan)) text += ums::wrap(hole, 120, "  no data     ", 14);
    if (const std::string burst = burst_text(timespan); !burst.empty()) text += ums::wrap(burst, 120, "  burst       ", 14);
    if (results.finding_count > 0) text += fmt::format("  WRONG       {}, see above\n", counted(results.finding_count, "finding"));
    if (!results.failure_reason.empty()) text += fmt::format("  NOT DONE    {}\n", ums::printable(results.failure_reason));
    if (results.stopped) text += "  stopped before its end\n";
    return text;
}

std::string small_pool_text(const sim::MeasureTimespanResults& timespan) {
    if (timespan.pool_threads == 0) return {};
    return fmt::format(
        "a pool has {} threads for each CPU in use, and more requests are outstanding: the storage never has all of them, and the wait "
        "for a thread counts as latency",
        timespan.pool_threads);
}

std::optional<BurstCliff> burst_of(const sim::MeasureTimespanResults& timespan) {
    constexpr std::uint32_t kPlateauMs = 5000;
    const std::uint32_t interval_ms = std::max(timespan.spec.iops_interval_ms, 1U);
    return burst_cliff_of(rates_by_interval(timespan), std::max<std::size_t>(kPlateauMin, kPlateauMs / interval_ms));
}

std::vector<std::string> hole_texts(const sim::MeasureTimespanResults& timespan) {
    constexpr double kPercentMin = 1;  // less changes no figure
    std::vector<std::string> texts;
    for (const sim::MeasureTargetFacts& target : timespan.targets) {
        if (target.hole_percent < kPercentMin) continue;
        std::string text = fmt::format(
            "{}: the file system has no data for {:.0f} % of the part that is read, so it answers such reads without the storage, and the "
            "figures are too good; a file that ioproof creates is filled first",
            ums::printable(target.path), std::floor(target.hole_percent));
        if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
    }
    return texts;
}

std::vector<double> rates_by_interval(const sim::MeasureTimespanResults& timespan) {
    std::vector<double> rates;
    const std::uint32_t interval_ms = timespan.spec.iops_interval_ms;
    if (interval_ms == 0) return rates;
    const sim::MeasureRow total = timespan.total();
    const std::uint64_t whole = timespan.duration_ns / (std::uint64_t{interval_ms} * 1'000'000);
    for (std::size_t i = 0; i < whole; ++i) {
        const std::uint64_t requests =
            i < total.intervals.size() ? total.intervals[i].reads.requests + total.intervals[i].writes.requests : 0;
        rates.push_back(static_cast<double>(requests) * 1000 / interval_ms);
    }
    return rates;
}

}  // namespace reports
