#include "reports/diskspd/diskspd_results_xml.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "reports/diskspd/diskspd_profile_xml.hpp"
#include "reports/diskspd/diskspd_ranges.hpp"

namespace reports {
namespace {

using sim::LatencyCounts;
using sim::MeasureDirection;
using sim::MeasureInterval;
using sim::MeasureIntervalCounts;
using sim::MeasureRow;
using sim::MeasureTimespanResults;

double in_ms(double duration_ns) { return duration_ns / 1e6; }

void add_cpu_shares(DiskspdXml& xml, const sim::MeasureCpu& cpu) {
    xml.decimal("UsagePercent", cpu.usage_percent(), 2);
    xml.decimal("UserPercent", cpu.user_percent, 2);
    xml.decimal("KernelPercent", cpu.kernel_percent, 2);
    xml.decimal("IdlePercent", cpu.idle_percent, 2);
}

void add_cpus(DiskspdXml& xml, const MeasureTimespanResults& found, const ums::ProcessorTopology& topology) {
    xml.open("CpuUtilization");
    for (const sim::MeasureCpu& cpu : found.cpus) {
        ums::Processor place{.id = cpu.id, .core = cpu.id};
        for (const ums::Processor& processor : topology.processors) {
            if (processor.id == cpu.id) place = processor;
        }
        xml.open("CPU");
        xml.number("Socket", place.socket);
        xml.number("Node", place.node);
        xml.number("Group", cpu.id / kDiskspdGroupCpus);
        xml.number("Core", place.core);
        xml.number("EfficiencyClass", 0);
        xml.number("Id", cpu.id % kDiskspdGroupCpus);
        add_cpu_shares(xml, cpu);
        xml.close("CPU");
    }
    xml.open("Average");
    add_cpu_shares(xml, found.cpu_mean());
    xml.close("Average");
    xml.close("CpuUtilization");
}

// --- latency ---

struct RowLatencies {
    LatencyCounts reads;
    LatencyCounts writes;
    LatencyCounts both;
};

RowLatencies latencies_of(const MeasureRow& row) { return {row.reads.latency, row.writes.latency, row.both().latency}; }

void add_bucket(DiskspdXml& xml, const RowLatencies& latencies, std::string_view name, double percent) {
    const auto add = [&](std::string_view element, const LatencyCounts& latency) {
        if (latency.count() > 0) xml.decimal(element, in_ms(static_cast<double>(latency.percentile_ns(percent))), 3);
    };
    xml.open("Bucket");
    xml.text("Percentile", name);
    add("ReadMilliseconds", latencies.reads);
    add("WriteMilliseconds", latencies.writes);
    add("TotalMilliseconds", latencies.both);
    xml.close("Bucket");
}

void add_means(DiskspdXml& xml, const LatencyCounts& latency, std::string_view mean, std::string_view deviation) {
    if (latency.count() == 0) return;
    xml.decimal(mean, in_ms(latency.mean_ns()), 3);
    xml.decimal(deviation, in_ms(latency.deviation_ns()), 3);
}

void add_latency_buckets(DiskspdXml& xml, const MeasureRow& total) {
    const RowLatencies latencies = latencies_of(total);
    xml.open("Latency", fmt::format(" ReadHistoBuckets=\"{}\" WriteHistoBuckets=\"{}\" TotalHistoBuckets=\"{}\"",
                                    latencies.reads.buckets().size(), latencies.writes.buckets().size(), latencies.both.buckets().size()));
    add_means(xml, latencies.reads, "AverageReadMilliseconds", "ReadLatencyStdev");
    add_means(xml, latencies.writes, "AverageWriteMilliseconds", "WriteLatencyStdev");
    add_means(xml, latencies.both, "AverageTotalMilliseconds", "LatencyStdev");
    for (int percent = 0; percent < 100; ++percent) add_bucket(xml, latencies, fmt::format("{}", percent), percent);
    constexpr std::array kNines{99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999, 99.9999999};
    for (std::size_t i = 0; i < kNines.size(); ++i) add_bucket(xml, latencies, fmt::format("{:.{}f}", kNines[i], i + 1), kNines[i]);
    add_bucket(xml, latencies, "100", 100);
    xml.close("Latency");
}

// --- requests of each interval ---

std::string interval_latency(std::string_view direction, const MeasureIntervalCounts& counts) {
    const double requests = static_cast<double>(counts.requests);
    const double mean_us = counts.requests == 0 ? 0 : static_cast<double>(counts.latency_total_ns) / 1000 / requests;
    const double variance = counts.requests == 0 ? 0 : counts.latency_squares_us / requests - mean_us * mean_us;
    return fmt::format(
        " {0}MinLatencyMilliseconds=\"{1:.3f}\" {0}MaxLatencyMilliseconds=\"{2:.3f}\" {0}AvgLatencyMilliseconds=\"{3:.3f}\" "
        "{0}LatencyStdDev=\"{4:.3f}\"",
        direction, in_ms(static_cast<double>(counts.latency_min_ns)), in_ms(static_cast<double>(counts.latency_max_ns)), mean_us / 1000,
        variance > 0 ? std::sqrt(variance) / 1000 : 0);
}

// The last interval may have been cut short. DiskSpd lists it nevertheless, and divides its requests by a whole interval, too.
void add_iops(DiskspdXml& xml, const MeasureRow& row, const DiskspdTimeSpan& wanted, const MeasureTimespanResults& found) {
    const double interval_s = wanted.interval_ms / 1000.0;
    const auto add_deviation = [&](std::string_view name, MeasureDirection direction) {
        xml.decimal(name, sim::iops_deviation(row, wanted.interval_ms, found.duration_ns, direction), 3);
    };
    xml.open("Iops");
    if (row.reads.requests > 0) add_deviation("ReadIopsStdDev", MeasureDirection::reads);
    if (row.writes.requests > 0) add_deviation("WriteIopsStdDev", MeasureDirection::writes);
    if (row.reads.requests + row.writes.requests > 0) add_deviation("IopsStdDev", MeasureDirection::both);
    for (std::size_t i = 0; i < row.intervals.size(); ++i) {
        const MeasureInterval& interval = row.intervals[i];
        const double reads = static_cast<double>(interval.reads.requests) / interval_s;
        const double writes = static_cast<double>(interval.writes.requests) / interval_s;
        xml.empty("Bucket", fmt::format(" SampleMillisecond=\"{}\" Read=\"{:.0f}\" Write=\"{:.0f}\" Total=\"{:.0f}\"{}{}",
                                        wanted.interval_ms * (i + 1), reads, writes, reads + writes,
                                        interval_latency("Read", interval.reads), interval_latency("Write", interval.writes)));
    }
    xml.close("Iops");
}

// --- threads ---

void add_effective_ranges(DiskspdXml& xml, const std::vector<DiskspdRange>& ranges) {
    if (ranges.empty()) return;
    xml.open("Distribution");
    xml.open("Absolute");
    for (const DiskspdRange& range : ranges) xml.number_with("Range", fmt::format(" IO=\"{}\"", range.io_percent), range.span);
    xml.close("Absolute");
    xml.close("Distribution");
}

void add_row(DiskspdXml& xml, const MeasureRow& row, const DiskspdTimeSpan& wanted, const MeasureTimespanResults& found) {
    const DiskspdTarget& target = wanted.targets.at(row.target);
    const std::uint64_t size_bytes = found.targets.at(row.target).size_bytes;
    xml.open("Target");
    xml.text("Path", target.path);
    xml.number("BytesCount", row.reads.bytes + row.writes.bytes);
    xml.number("FileSize", size_bytes);
    xml.number("IOCount", row.reads.requests + row.writes.requests);
    xml.number("ReadBytes", row.reads.bytes);
    xml.number("ReadCount", row.reads.requests);
    xml.number("WriteBytes", row.writes.bytes);
    xml.number("WriteCount", row.writes.requests);
    add_effective_ranges(xml, effective_ranges(target, size_bytes));
    if (wanted.measures_latency) {
        const RowLatencies latencies = latencies_of(row);
        add_means(xml, latencies.reads, "AverageReadLatencyMilliseconds", "ReadLatencyStdev");
        add_means(xml, latencies.writes, "AverageWriteLatencyMilliseconds", "WriteLatencyStdev");
        add_means(xml, latencies.both, "AverageLatencyMilliseconds", "LatencyStdev");
    }
    if (wanted.gathers_iops) add_iops(xml, row, wanted, found);
    xml.close("Target");
}

void add_threads(DiskspdXml& xml, const DiskspdTimeSpan& wanted, const MeasureTimespanResults& found) {
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
        const std::uint32_t thread = found.rows[i].thread;
        if (i == 0 || found.rows[i - 1].thread != thread) {
            xml.open("Thread");
            xml.number("Id", thread);
        }
        add_row(xml, found.rows[i], wanted, found);
        if (i + 1 == found.rows.size() || found.rows[i + 1].thread != thread) xml.close("Thread");
    }
}

// No other tool reports this: whether the storage returned what it was given.
void add_integrity(DiskspdXml& xml, const MeasureTimespanResults& found, std::uint64_t finding_count) {
    std::uint64_t verified = 0;
    std::uint64_t read_back = 0;
    std::uint64_t not_judged = 0;
    for (const sim::MeasureTargetFacts& target : found.targets) {
        verified += target.pages_verified;
        read_back += target.pages_read_back;
        not_judged += target.pages_not_judged;
    }
    xml.open("Integrity");
    xml.number("PagesVerified", verified);
    xml.number("PagesReadBack", read_back);
    xml.number("PagesNotJudged", not_judged);
    xml.number("FindingsOfAllTimeSpans", finding_count);
    xml.close("Integrity");
}

void add_span(DiskspdXml& xml, const DiskspdDocument& document, std::size_t index) {
    const DiskspdTimeSpan& wanted = document.profile.time_spans[index];
    const MeasureTimespanResults& found = document.results.timespans[index];
    xml.open("TimeSpan");
    if (found.duration_ns == 0) {
        xml.text("Error", "The test was interrupted before the measurements began. No results are displayed.");
        xml.close("TimeSpan");
        return;
    }
    xml.decimal("TestTimeSeconds", found.seconds(), 2);
    xml.number("ThreadCount", found.thread_count);
    xml.number("RequestCount", wanted.request_count);
    xml.number("ProcCount", found.cpus.size());
    add_cpus(xml, found, document.system.topology);
    if (wanted.measures_latency) add_latency_buckets(xml, found.total());
    if (wanted.gathers_iops) add_iops(xml, found.total(), wanted, found);
    if (document.is_verified) add_integrity(xml, found, document.results.finding_count);
    add_threads(xml, wanted, found);
    xml.close("TimeSpan");
}

}  // namespace

std::string diskspd_results_xml(const DiskspdDocument& document) {
    DiskspdXml xml;
    xml.open("Results");
    add_diskspd_system(xml, document.system);
    add_diskspd_profile(xml, document.profile);
    const std::size_t count = std::min(document.results.timespans.size(), document.profile.time_spans.size());
    for (std::size_t i = 0; i < count; ++i) add_span(xml, document, i);
    xml.close("Results");
    return xml.take();
}

}  // namespace reports
