#include "reports/diskspd/diskspd_profile_xml.hpp"

#include <string_view>

#include <fmt/format.h>

namespace reports {
namespace {

void add_profile_cache(DiskspdXml& xml, const DiskspdTarget& target) {
    switch (target.cache) {
        case DiskspdCache::on: break;
        case DiskspdCache::local_off: xml.flag("DisableLocalCache", true); break;
        case DiskspdCache::unbuffered: xml.flag("DisableOSCache", true); break;
    }
    if (target.write_through) xml.flag("WriteThrough", true);
    if (target.memory_mapped) xml.flag("MemoryMappedIo", true);
    switch (target.flush) {
        case DiskspdFlush::none: break;
        case DiskspdFlush::view_of_file: xml.text("FlushType", "ViewOfFile"); break;
        case DiskspdFlush::non_volatile: xml.text("FlushType", "NonVolatileMemory"); break;
        case DiskspdFlush::non_volatile_no_drain: xml.text("FlushType", "NonVolatileMemoryNoDrain"); break;
    }
}

void add_profile_buffers(DiskspdXml& xml, const DiskspdTarget& target) {
    xml.open("WriteBufferContent");
    if (target.zero_buffers) {
        xml.text("Pattern", "zero");
    } else if (target.buffer_bytes == 0) {
        xml.text("Pattern", "sequential");
    } else {
        xml.text("Pattern", "random");
        xml.open("RandomDataSource");
        xml.number("SizeInBytes", target.buffer_bytes);
        if (!target.buffer_path.empty()) xml.text("FilePath", target.buffer_path);
        xml.close("RandomDataSource");
    }
    xml.close("WriteBufferContent");
}

void add_profile_distribution(DiskspdXml& xml, const DiskspdTarget& target) {
    if (target.distribution.empty()) return;
    const std::string_view kind = target.is_distribution_in_percent ? "Percent" : "Absolute";
    xml.open("Distribution");
    xml.open(kind);
    for (const DiskspdRange& range : target.distribution) xml.number_with("Range", fmt::format(" IO=\"{}\"", range.io_percent), range.span);
    xml.close(kind);
    xml.close("Distribution");
}

// Readers take a target with Random as random, whatever StrideSize says, so only one of the two is written.
void add_profile_access(DiskspdXml& xml, const DiskspdTarget& target) {
    if (target.random_percent == 0) {
        xml.number("StrideSize", target.alignment());
        xml.flag("InterlockedSequential", target.is_interlocked);
        return;
    }
    xml.number("Random", target.alignment());
    if (target.random_percent != 100) xml.number("RandomRatio", target.random_percent);
    add_profile_distribution(xml, target);
}

void add_profile_threads(DiskspdXml& xml, const DiskspdTarget& target) {
    xml.number("ThreadsPerFile", target.threads_per_file);
    xml.number("IOPriority", target.io_priority);
    xml.number("Weight", target.weight);
    if (target.thread_weights.empty()) return;
    xml.open("ThreadTargets");
    for (const DiskspdThreadWeight& entry : target.thread_weights) {
        xml.open("ThreadTarget");
        xml.number("Thread", entry.thread);
        if (entry.weight != 0) xml.number("Weight", entry.weight);
        xml.close("ThreadTarget");
    }
    xml.close("ThreadTargets");
}

void add_profile_target(DiskspdXml& xml, const DiskspdTarget& target) {
    xml.open("Target");
    xml.text("Path", target.path);
    xml.number("BlockSize", target.block_bytes);
    xml.number("BaseFileOffset", target.base_bytes);
    xml.flag("SequentialScan", target.sequential_hint);
    xml.flag("RandomAccess", target.random_hint);
    xml.flag("TemporaryFile", target.temporary_hint);
    xml.flag("UseLargePages", target.large_pages);
    add_profile_cache(xml, target);
    add_profile_buffers(xml, target);
    xml.flag("ParallelAsyncIO", target.is_parallel);
    if (target.burst_size != 0) xml.number("BurstSize", target.burst_size);
    if (target.think_time_ms != 0) xml.number("ThinkTime", target.think_time_ms);
    if (target.create_bytes) xml.number("FileSize", *target.create_bytes);
    add_profile_access(xml, target);
    xml.number("ThreadStride", target.thread_stride_bytes);
    xml.number("MaxFileSize", target.end_bytes);
    xml.number("RequestCount", target.request_count);
    xml.number("WriteRatio", target.write_percent);
    xml.number_with("Throughput", target.is_rate_in_requests && target.rate != 0 ? " unit=\"IOPS\"" : "", target.rate);
    add_profile_threads(xml, target);
    xml.close("Target");
}

void add_profile_span(DiskspdXml& xml, const DiskspdTimeSpan& span) {
    xml.open("TimeSpan");
    xml.flag("CompletionRoutines", span.completion_routines);
    xml.flag("MeasureLatency", span.measures_latency);
    xml.flag("CalculateIopsStdDev", span.gathers_iops);
    xml.flag("DisableAffinity", span.is_affinity_off);
    xml.number("Duration", span.duration_s);
    xml.number("Warmup", span.warm_up_s);
    xml.number("Cooldown", span.cool_down_s);
    xml.number("ThreadCount", span.thread_count);
    xml.number("RequestCount", span.request_count);
    xml.number("IoBucketDuration", span.interval_ms);
    xml.number("RandSeed", span.seed);
    if (span.random_write_data) xml.flag("RandomWriteData", true);
    if (!span.cpus.empty()) {
        xml.open("Affinity");
        for (const DiskspdCpu& cpu : span.cpus) {
            xml.empty("AffinityGroupAssignment", fmt::format(" Group=\"{}\" Processor=\"{}\"", cpu.group, cpu.cpu));
        }
        xml.close("Affinity");
    }
    xml.open("Targets");
    for (const DiskspdTarget& target : span.targets) add_profile_target(xml, target);
    xml.close("Targets");
    xml.close("TimeSpan");
}

}  // namespace

void add_diskspd_profile(DiskspdXml& xml, const DiskspdProfile& profile) {
    xml.open("Profile");
    xml.number("Progress", profile.progress);
    if (profile.experiments != 0) xml.number("ExperimentFlags", profile.experiments);
    xml.text("ResultFormat", profile.format == DiskspdFormat::xml ? "xml" : "text");
    xml.flag("Verbose", profile.is_verbose);
    if (profile.shows_waits) xml.flag("VerboseStats", true);
    switch (profile.precreate) {
        case DiskspdPrecreate::none: break;
        case DiskspdPrecreate::use_max_size: xml.text("PrecreateFiles", "UseMaxSize"); break;
        case DiskspdPrecreate::constant_sizes: xml.text("PrecreateFiles", "CreateOnlyFilesWithConstantSizes"); break;
        case DiskspdPrecreate::constant_or_zero_sizes: xml.text("PrecreateFiles", "CreateOnlyFilesWithConstantOrZeroSizes"); break;
    }
    xml.open("TimeSpans");
    for (const DiskspdTimeSpan& span : profile.time_spans) add_profile_span(xml, span);
    xml.close("TimeSpans");
    xml.close("Profile");
}

std::string diskspd_profile_xml(const DiskspdProfile& profile) {
    DiskspdXml xml;
    add_diskspd_profile(xml, profile);
    return xml.take();
}

}  // namespace reports
