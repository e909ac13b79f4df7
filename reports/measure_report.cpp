#include "reports/measure_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "reports/table.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "reports/time_text.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using MeasureJson = nlohmann::ordered_json;

double per_second_of(std::uint64_t amount, const sim::MeasureTimespanResults& timespan) {
    return timespan.duration_ns == 0 ? 0 : static_cast<double>(amount) * 1e9 / static_cast<double>(timespan.duration_ns);
}

std::string time_text(std::uint64_t duration_ns) {
    if (duration_ns < 1000) return fmt::format("{} ns", duration_ns);
    if (duration_ns < 10'000'000) return fmt::format("{:.1f} us", static_cast<double>(duration_ns) / 1000);
    return duration_text(duration_ns / 1000);
}

// A percentile that no request can tell from the longest is left out.
std::string percentile_cell(const sim::LatencyCounts& latency, double percent) {
    if (latency.count() == 0 || static_cast<double>(latency.count()) * (100 - percent) / 100 < 1) return "-";
    return time_text(latency.percentile_ns(percent));
}

void add_counts(Table& table, const std::string& name, const sim::MeasureCounts& counts, const sim::MeasureTimespanResults& timespan) {
    if (counts.requests == 0) return;
    const sim::LatencyCounts& latency = counts.latency;
    const bool has_latency = latency.count() > 0;
    table.add_row({name, count_text(static_cast<std::uint64_t>(per_second_of(counts.requests, timespan))),
                   fmt::format("{:.1f}", per_second_of(counts.bytes, timespan) / (1 << 20)),
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
                                   per_second_of((timespan.cpu_user_us + timespan.cpu_system_us) * 100, timespan) / 1e6);
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
        text += fmt::format("  throttled   the control group held the CPU back for {} ({} periods): figures are those of the limit\n",
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
    if (!is_verified) return "  verified    nothing: the data is no pages of ours, or verification is switched off\n";
    std::string text = fmt::format("  verified    {} when read, {} read back", counted(verified, "page"), count_text(read_back));
    if (not_judged > 0) text += fmt::format("; {} could not be judged, being written or first met at that moment", count_text(not_judged));
    return text + "\n";
}

MeasureJson latency_json(const sim::LatencyCounts& latency) {
    MeasureJson percentiles = MeasureJson::array();
    for (const double percent : measure_percents()) percentiles.push_back({percent, latency.percentile_ns(percent)});
    MeasureJson buckets = MeasureJson::array();
    for (const sim::LatencyBucket& bucket : latency.buckets()) buckets.push_back({bucket.low_ns, bucket.high_ns, bucket.count});
    return {{"count", latency.count()},      {"total_ns", latency.total_ns()}, {"min_ns", latency.min_ns()},
            {"max_ns", latency.max_ns()},    {"mean_ns", latency.mean_ns()},   {"deviation_ns", latency.deviation_ns()},
            {"percentiles_ns", percentiles}, {"buckets_ns", buckets}};
}

MeasureJson counts_json(const sim::MeasureCounts& counts, const sim::MeasureTimespanResults& timespan) {
    return {{"requests", counts.requests},
            {"bytes", counts.bytes},
            {"requests_per_s", per_second_of(counts.requests, timespan)},
            {"bytes_per_s", per_second_of(counts.bytes, timespan)},
            {"latency", latency_json(counts.latency)}};
}

MeasureJson target_json(const sim::MeasureTimespanResults& timespan, std::uint32_t target) {
    const sim::MeasureTarget& spec = timespan.spec.targets[target];
    const sim::MeasureTargetFacts& facts = timespan.targets[target];
    const sim::MeasureRow row = timespan.total_of_target(target);
    constexpr std::string_view kAccess[] = {"sequential", "interlocked", "random", "mixed"};
    MeasureJson json{{"path", facts.path},
                     {"class", spec.label},
                     {"size_bytes", facts.size_bytes},
                     {"created", facts.was_created},
                     {"block_bytes", spec.block_bytes},
                     {"block_bytes_min", spec.block_bytes_min == 0 ? spec.block_bytes : spec.block_bytes_min},
                     {"access", kAccess[static_cast<std::size_t>(spec.access)]},
                     {"write_percent", spec.write_percent},
                     {"outstanding", timespan.spec.requests_per_thread != 0 ? timespan.spec.requests_per_thread : spec.outstanding},
                     {"threads", timespan.spec.threads_total != 0 ? timespan.spec.threads_total : spec.threads},
                     {"weight", spec.weight},
                     {"direct", spec.direct},
                     {"durable", spec.write_through},
                     {"verified", facts.is_verified},
                     {"pages_verified", facts.pages_verified},
                     {"pages_read_back", facts.pages_read_back},
                     {"pages_not_judged", facts.pages_not_judged},
                     {"flushes", row.flushes}};
    json["reads"] = counts_json(row.reads, timespan);
    json["writes"] = counts_json(row.writes, timespan);
    return json;
}

MeasureJson threads_json(const sim::MeasureTimespanResults& timespan) {
    MeasureJson threads = MeasureJson::array();
    for (const sim::MeasureRow& row : timespan.rows) {
        threads.push_back({{"thread", row.thread},
                           {"target", row.target},
                           {"reads", row.reads.requests},
                           {"read_bytes", row.reads.bytes},
                           {"read_mean_ns", row.reads.latency.mean_ns()},
                           {"writes", row.writes.requests},
                           {"written_bytes", row.writes.bytes},
                           {"write_mean_ns", row.writes.latency.mean_ns()}});
    }
    return threads;
}

MeasureJson intervals_json(const sim::MeasureTimespanResults& timespan) {
    MeasureJson reads = MeasureJson::array();
    MeasureJson writes = MeasureJson::array();
    for (const sim::MeasureInterval& interval : timespan.total().intervals) {
        reads.push_back(interval.reads.requests);
        writes.push_back(interval.writes.requests);
    }
    return {{"interval_ms", timespan.spec.iops_interval_ms}, {"reads", std::move(reads)}, {"writes", std::move(writes)}};
}

void add_machine(MeasureJson& json, const sim::MeasureTimespanResults& timespan) {
    json["cpu_ns_per_request"] = timespan.cpu_ns_per_request();
    json["cpu_user_us"] = timespan.cpu_user_us;
    json["cpu_system_us"] = timespan.cpu_system_us;
    json["cpus"] = MeasureJson::array();
    for (const sim::MeasureCpu& cpu : timespan.cpus) {
        json["cpus"].push_back({{"id", cpu.id},
                                {"user_percent", cpu.user_percent},
                                {"kernel_percent", cpu.kernel_percent},
                                {"idle_percent", cpu.idle_percent},
                                {"steal_percent", cpu.steal_percent}});
    }
    json["devices"] = MeasureJson::array();
    for (const sim::MeasureDevice& device : timespan.devices) {
        json["devices"].push_back({{"name", device.name},
                                   {"reads", device.reads},
                                   {"reads_merged", device.reads_merged},
                                   {"read_bytes", device.read_bytes},
                                   {"writes", device.writes},
                                   {"writes_merged", device.writes_merged},
                                   {"written_bytes", device.written_bytes},
                                   {"queue_mean", device.queue_mean},
                                   {"busy_percent", device.busy_percent},
                                   {"wait_mean_ms", device.wait_mean_ms}});
    }
    json["throttling"] = {{"known", timespan.throttling.is_known},
                          {"cpu_periods", timespan.throttling.cpu_periods_throttled},
                          {"cpu_us", timespan.throttling.cpu_throttled_us},
                          {"io_stalled_us", timespan.throttling.io_stalled_us}};
}

}  // namespace

const std::vector<double>& measure_percents() {
    static const std::vector<double> percents{25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999, 99.9999999};
    return percents;
}

std::string measure_text(const sim::MeasureResults& results) {
    if (results.timespans.empty()) return "";
    const sim::MeasureTimespanResults& timespan = results.timespans.back();
    std::string text = fmt::format("{} on {}, engine {}, measured for {:.2f} s", counted(timespan.thread_count, "thread"),
                                   counted(timespan.cpu_count, "CPU"), timespan.engine, timespan.seconds());
    if (timespan.spec.warm_up_s > 0) text += fmt::format(" after {} s of warm-up", timespan.spec.warm_up_s);
    text += '\n';
    if (!timespan.engine_reason.empty()) text += fmt::format("{}\n", ums::printable(timespan.engine_reason));
    if (timespan.targets.empty()) {
        text += "  nothing was measured\n";
    } else {
        text += table_text(timespan) + machine_text(timespan) + verified_text(timespan);
        const double deviation =
            sim::iops_deviation(timespan.total(), timespan.spec.iops_interval_ms, timespan.duration_ns, sim::MeasureDirection::both);
        if (timespan.total().intervals.size() > 1) {
            text += fmt::format("  evenness    the requests/s of intervals of {} ms have a standard deviation of {}\n",
                                timespan.spec.iops_interval_ms, count_text(static_cast<std::uint64_t>(deviation)));
        }
    }
    if (const std::string burst = burst_text(timespan); !burst.empty()) text += wrapped("  burst       " + burst, 120, 14);
    if (results.finding_count > 0) text += fmt::format("  WRONG       {}, see above\n", counted(results.finding_count, "finding"));
    if (!results.failure_reason.empty()) text += fmt::format("  NOT DONE    {}\n", ums::printable(results.failure_reason));
    if (results.stopped) text += "  stopped before its end\n";
    return text;
}

MeasureJson measure_json(const sim::MeasureResults& results) {
    MeasureJson json{{"document", kMeasureDocument}, {"version", kMeasureVersion}};
    json["findings"] = results.finding_count;
    json["stopped"] = results.stopped;
    json["failure"] = results.failure_reason;
    if (results.timespans.empty()) return json;
    const sim::MeasureTimespanResults& timespan = results.timespans.back();
    json["start_utc"] = utc_iso_text(timespan.start_utc_us);
    json["engine"] = timespan.engine;
    json["schedulers"] = timespan.cpu_count;
    json["duration_ns"] = timespan.duration_ns;
    json["warm_up_s"] = timespan.spec.warm_up_s;
    json["seed"] = timespan.spec.seed;
    json["targets"] = MeasureJson::array();
    for (std::uint32_t target = 0; target < timespan.targets.size(); ++target) json["targets"].push_back(target_json(timespan, target));
    const sim::MeasureRow total = timespan.total();
    json["total"] = {{"reads", counts_json(total.reads, timespan)},
                     {"writes", counts_json(total.writes, timespan)},
                     {"both", counts_json(total.both(), timespan)}};
    json["threads"] = threads_json(timespan);
    json["intervals"] = intervals_json(timespan);
    add_machine(json, timespan);
    const auto cliff = burst_cliff_of(rates_by_interval(timespan));
    json["burst"] = cliff ? MeasureJson{{"cliff_s", static_cast<double>(cliff->at) * timespan.spec.iops_interval_ms / 1000},
                                        {"before_per_s", cliff->before},
                                        {"sustainable_per_s", cliff->after}}
                          : MeasureJson(nullptr);
    return json;
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

std::string burst_text(const sim::MeasureTimespanResults& timespan) {
    const auto cliff = burst_cliff_of(rates_by_interval(timespan));
    if (!cliff) return "";
    return fmt::format(
        "after {:.0f} s the rate fell from {} to {} requests/s and stayed there, as on a disk whose burst credits are used up. What can be "
        "had for long "
        "is {} requests/s.",
        static_cast<double>(cliff->at) * timespan.spec.iops_interval_ms / 1000, count_text(static_cast<std::uint64_t>(cliff->before)),
        count_text(static_cast<std::uint64_t>(cliff->after)), count_text(static_cast<std::uint64_t>(cliff->after)));
}

std::string rounds_text(const MeasureRounds& rounds) {
    const SampleSummary rate = summary_of(rounds.requests_per_s);
    const SampleSummary latency = summary_of(rounds.mean_latency_us);
    std::string text =
        fmt::format("{}: {:.0f} requests/s on average, standard deviation {:.0f}", counted(rate.count, "round"), rate.mean, rate.deviation);
    if (rate.half_interval)
        text +=
            fmt::format(", 95 % confidence interval ±{:.0f} (±{:.1f} %)", *rate.half_interval, rate.half_interval_percent().value_or(0));
    text += fmt::format("; mean latency {:.1f} us", latency.mean);
    if (latency.half_interval) text += fmt::format(" ±{:.1f}", *latency.half_interval);
    text += '\n';
    if (!rounds.asked_for_steady_state) return text;
    const SteadyState state = steady_state_of(rounds.requests_per_s);
    if (rounds.requests_per_s.size() < kSteadyRounds)
        return text + fmt::format("Steady state takes {} rounds: not reached.\n", kSteadyRounds);
    const SampleSummary last =
        summary_of({rounds.requests_per_s.end() - static_cast<std::ptrdiff_t>(kSteadyRounds), rounds.requests_per_s.end()});
    return text + fmt::format(
                      "Steady state {} (SNIA PTS): in the last {} rounds {:.0f} requests/s, which lie within {:.1f} % (at most 20), with a "
                      "slope of "
                      "{:.1f} % (at most 10).\n",
                      state.is_reached ? "is reached" : "is not reached", kSteadyRounds, last.mean, state.excursion_percent,
                      state.slope_percent);
}

MeasureJson rounds_json(const MeasureRounds& rounds) {
    const SampleSummary rate = summary_of(rounds.requests_per_s);
    const SampleSummary latency = summary_of(rounds.mean_latency_us);
    const auto or_null = [](const std::optional<double>& value) { return value ? MeasureJson(*value) : MeasureJson(nullptr); };
    MeasureJson json{{"count", rate.count}, {"requests_per_s", rounds.requests_per_s}, {"latency_mean_us", rounds.mean_latency_us}};
    json["mean_per_s"] = rate.mean;
    json["deviation_per_s"] = rate.deviation;
    json["half_interval_95_per_s"] = or_null(rate.half_interval);
    json["latency_mean_of_rounds_us"] = latency.mean;
    json["latency_half_interval_95_us"] = or_null(latency.half_interval);
    json["steady"] = rounds.asked_for_steady_state ? MeasureJson(rounds.is_steady()) : MeasureJson(nullptr);
    return json;
}

}  // namespace reports
