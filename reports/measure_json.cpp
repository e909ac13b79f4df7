#include "reports/measure_json.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reports/measure_report.hpp"
#include "reports/statistics.hpp"
#include "reports/time_text.hpp"
#include "ums/base/units.hpp"

namespace reports {

namespace {

using MeasureJson = nlohmann::ordered_json;

std::string_view access_word(sim::MeasureAccess access) {
    switch (access) {
        case sim::MeasureAccess::sequential: return "sequential";
        case sim::MeasureAccess::interlocked: return "interlocked";
        case sim::MeasureAccess::random: return "random";
        case sim::MeasureAccess::mixed: return "mixed";
    }
    return "";
}

std::string_view contents_word(sim::MeasureContents contents) {
    switch (contents) {
        case sim::MeasureContents::incompressible: return "noise";
        case sim::MeasureContents::sectors: return "sectors";
        case sim::MeasureContents::zeros: return "zeros";
        case sim::MeasureContents::counting: return "counting";
        case sim::MeasureContents::buffer: return "buffer";
        case sim::MeasureContents::pages: return "pages";
    }
    return "";
}

// As --hot has it: "90/10,5/20".
std::string hot_word(const std::vector<sim::MeasureSpan>& spans) {
    if (spans.empty()) return "none";
    std::string text;
    for (const sim::MeasureSpan& span : spans) {
        const std::string part = span.size_bytes != 0 ? fmt::format("{} bytes", span.size_bytes) : fmt::format("{:g}", span.target_percent);
        text += fmt::format("{}{}/{}", text.empty() ? "" : ",", span.io_percent, part);
    }
    return text;
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

MeasureJson target_json(const sim::MeasureTimespanResults& timespan, std::uint32_t target) {
    const sim::MeasureTargetFacts& facts = timespan.targets[target];
    const sim::MeasureRow row = timespan.total_of_target(target);
    MeasureJson json{{"path", facts.path}, {"class", timespan.spec.targets[target].label}};
    json["size_bytes"] = facts.size_bytes;
    json["created"] = facts.was_created;
    json.update(asked_json(timespan.spec, target));
    json["verified"] = facts.is_verified;
    json["pages_verified"] = facts.pages_verified;
    json["pages_read_back"] = facts.pages_read_back;
    json["pages_not_judged"] = facts.pages_not_judged;
    json["flushes"] = row.flushes;
    json["reads"] = counts_json(row.reads, timespan.duration_ns);
    json["writes"] = counts_json(row.writes, timespan.duration_ns);
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

// Columns, each with a value for every sample; null: the device was not there.
MeasureJson samples_of_device(const std::string& name, const std::vector<sim::MeasureMachineSample>& samples) {
    MeasureJson json{{"name", name}};
    for (const sim::MeasureMachineSample& sample : samples) {
        const auto device = std::find_if(sample.devices.begin(), sample.devices.end(), [&](const auto& each) { return each.name == name; });
        const bool is_known = device != sample.devices.end();
        json["queue_mean"].push_back(is_known ? MeasureJson(device->queue_mean) : MeasureJson(nullptr));
        json["busy_percent"].push_back(is_known ? MeasureJson(device->busy_percent) : MeasureJson(nullptr));
        json["wait_mean_ms"].push_back(is_known ? MeasureJson(device->wait_mean_ms) : MeasureJson(nullptr));
    }
    return json;
}

void add_samples(MeasureJson& json, const sim::MeasureTimespanResults& timespan) {
    MeasureJson samples{
        {"end_s", MeasureJson::array()},           {"user_percent", MeasureJson::array()},     {"kernel_percent", MeasureJson::array()},
        {"busiest_percent", MeasureJson::array()}, {"cpu_throttled_us", MeasureJson::array()}, {"devices", MeasureJson::array()}};
    for (const sim::MeasureMachineSample& sample : timespan.samples) {
        samples["end_s"].push_back(static_cast<double>(sample.end_ns) / 1e9);
        samples["user_percent"].push_back(sample.user_percent);
        samples["kernel_percent"].push_back(sample.kernel_percent);
        samples["busiest_percent"].push_back(sample.busiest_percent);
        samples["cpu_throttled_us"].push_back(sample.cpu_throttled_us);
    }
    for (const sim::MeasureDevice& device : timespan.devices)
        samples["devices"].push_back(samples_of_device(device.name, timespan.samples));
    json["samples"] = std::move(samples);
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
    add_samples(json, timespan);
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

MeasureJson counts_json(const sim::MeasureCounts& counts, std::uint64_t duration_ns) {
    return {{"requests", counts.requests},
            {"bytes", counts.bytes},
            {"requests_per_s", ums::per_second(counts.requests, duration_ns)},
            {"bytes_per_s", ums::per_second(counts.bytes, duration_ns)},
            {"latency", latency_json(counts.latency)}};
}

MeasureJson asked_json(const sim::MeasureTimespan& timespan, std::size_t target) {
    const sim::MeasureTarget& spec = timespan.targets[target];
    const auto rate_in = [&](sim::MeasureRateUnit unit) { return spec.rate.unit == unit ? spec.rate.amount : 0.0; };
    return {{"block_bytes", spec.block_bytes},
            {"block_bytes_min", spec.block_bytes_min == 0 ? spec.block_bytes : spec.block_bytes_min},
            {"piece_bytes", spec.piece_bytes},
            {"alignment_bytes", spec.alignment_bytes == 0 ? spec.block_bytes : spec.alignment_bytes},
            {"access", access_word(spec.access)},
            {"random_percent", spec.random_percent},
            {"hot", hot_word(spec.spans)},
            {"from_bytes", spec.base_offset_bytes},
            {"to_bytes", spec.max_offset_bytes},
            {"write_percent", spec.write_percent},
            {"contents", contents_word(spec.source.contents)},
            {"compressible_percent", spec.source.compressible_percent},
            {"duplicate_percent", spec.source.duplicate_percent},
            {"outstanding", timespan.requests_per_thread != 0 ? timespan.requests_per_thread : spec.outstanding},
            {"threads", timespan.threads_total != 0 ? timespan.threads_total : spec.threads},
            {"weight", spec.weight},
            {"thread_requests_per_s", rate_in(sim::MeasureRateUnit::requests_per_s)},
            {"thread_bytes_per_s", rate_in(sim::MeasureRateUnit::bytes_per_s)},
            {"burst_requests", spec.burst_requests},
            {"think_time_ms", spec.think_time_ms},
            {"flush_every_writes", spec.flush_every_writes},
            {"direct", spec.direct},
            {"mapped", spec.view != sim::MeasureView::none},
            {"durable", spec.write_through}};
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
    json["total"] = {{"reads", counts_json(total.reads, timespan.duration_ns)},
                     {"writes", counts_json(total.writes, timespan.duration_ns)},
                     {"both", counts_json(total.both(), timespan.duration_ns)}};
    json["threads"] = threads_json(timespan);
    json["intervals"] = intervals_json(timespan);
    add_machine(json, timespan);
    const auto cliff = burst_of(timespan);
    json["burst"] = cliff ? MeasureJson{{"cliff_s", static_cast<double>(cliff->at) * timespan.spec.iops_interval_ms / 1000},
                                        {"before_per_s", cliff->before},
                                        {"sustainable_per_s", cliff->after}}
                          : MeasureJson(nullptr);
    return json;
}

}  // namespace reports
