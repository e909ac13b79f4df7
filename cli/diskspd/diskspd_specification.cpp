#include "cli/diskspd/diskspd_specification.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/measuring/measuring.hpp"
#include "cli/process/exit_codes.hpp"
#include "reports/diskspd/diskspd_system.hpp"
#include "sim/limits.hpp"

namespace cli {
namespace {

using reports::DiskspdRange;
using reports::DiskspdTarget;
using reports::DiskspdTimeSpan;

// What happens to a write after it is copied into the mapping.
sim::MeasureView view_of_target(const DiskspdTarget& target) {
    if (!target.memory_mapped) return sim::MeasureView::none;
    switch (target.flush) {
        case reports::DiskspdFlush::none: return sim::MeasureView::mapped;
        case reports::DiskspdFlush::view_of_file: return sim::MeasureView::synced;
        case reports::DiskspdFlush::non_volatile: return sim::MeasureView::lines_written;
        case reports::DiskspdFlush::non_volatile_no_drain: return sim::MeasureView::lines_started;
    }
    return sim::MeasureView::mapped;
}

std::vector<sim::MeasureThreadShare> thread_shares_of(const DiskspdTarget& target) {
    std::vector<sim::MeasureThreadShare> shares;
    for (const reports::DiskspdThreadWeight& entry : target.thread_weights) {
        shares.push_back({.thread = entry.thread, .weight = entry.weight != 0 ? entry.weight : target.weight});
    }
    return shares;
}

sim::MeasureAccess access_of(const DiskspdTarget& target) {
    if (target.random_percent == 100) return sim::MeasureAccess::random;
    if (target.random_percent > 0) return sim::MeasureAccess::mixed;
    return target.is_interlocked ? sim::MeasureAccess::interlocked : sim::MeasureAccess::sequential;
}

std::vector<sim::MeasureSpan> spans_of(const DiskspdTarget& target) {
    std::vector<sim::MeasureSpan> spans;
    for (const DiskspdRange& range : target.distribution) {
        if (target.is_distribution_in_percent) {
            spans.push_back({.io_percent = range.io_percent, .target_percent = static_cast<double>(range.span)});
        } else if (range.span > 0) {  // 0: the rest of the target, which gets the rest of the requests anyway
            spans.push_back({.io_percent = range.io_percent, .size_bytes = range.span});
        }
    }
    return spans;
}

sim::MeasureSource source_of(const DiskspdTarget& target, const DiskspdTimeSpan& span, bool verifies) {
    sim::MeasureSource source;
    if (verifies) {
        const bool has_pages = target.block_bytes % sim::kPageBytes == 0 && target.alignment() % sim::kPageBytes == 0 &&
                               target.base_bytes % sim::kPageBytes == 0 && target.thread_stride_bytes % sim::kPageBytes == 0;
        source.contents = has_pages ? sim::MeasureContents::pages : sim::MeasureContents::sectors;
    } else if (target.buffer_bytes > 0) {
        source.contents = sim::MeasureContents::buffer;
    } else if (target.zero_buffers) {
        source.contents = sim::MeasureContents::zeros;
    } else if (!span.random_write_data) {
        source.contents = sim::MeasureContents::counting;
    }
    return source;
}

sim::MeasureRate rate_of(const DiskspdTarget& target) {
    constexpr double kMsPerSecond = 1000;
    if (target.rate == 0) return {};
    if (target.is_rate_in_requests) return {.unit = sim::MeasureRateUnit::requests_per_s, .amount = static_cast<double>(target.rate)};
    return {.unit = sim::MeasureRateUnit::bytes_per_s, .amount = target.rate * kMsPerSecond};
}

// As in DiskSpd, a burst is one of all threads of the target together: each of them makes its share, and at least one request.
std::uint32_t burst_of_thread(const DiskspdTarget& target, const DiskspdTimeSpan& span) {
    if (target.burst_size == 0) return 0;
    const std::uint32_t threads = span.thread_count > 0 ? span.thread_count : target.threads_per_file;
    return std::max(target.burst_size / std::max(threads, 1U), 1U);
}

sim::MeasureTarget diskspd_target_of(const DiskspdArguments& arguments, const DiskspdTarget& target, const DiskspdTimeSpan& span) {
    refuse_windows_path(target.path);
    sim::MeasureTarget result;
    result.path = target.path;
    result.create_bytes = target.create_bytes.value_or(0);
    result.may_overwrite = arguments.may_overwrite;
    result.block_bytes = target.block_bytes;
    result.base_offset_bytes = target.base_bytes;
    result.max_offset_bytes = target.end_bytes;
    result.access = access_of(target);
    result.random_percent = result.access == sim::MeasureAccess::mixed ? target.random_percent : 0;
    result.alignment_bytes = target.alignment();
    result.is_stride_zero = target.alignment() == 0;
    result.thread_stride_bytes = target.thread_stride_bytes;
    result.same_start = target.is_parallel;
    result.spans = spans_of(target);
    result.write_percent = target.write_percent;
    result.source = source_of(target, span, arguments.verifies);
    result.outstanding = target.request_count;
    result.threads = target.threads_per_file;
    result.weight = target.weight;
    result.thread_shares = thread_shares_of(target);
    result.rate = rate_of(target);
    result.burst_requests = burst_of_thread(target, span);
    result.think_time_ms = target.think_time_ms;
    result.direct = target.cache != reports::DiskspdCache::on && !target.memory_mapped;
    result.view = view_of_target(target);
    result.write_through = target.write_through;
    return result;
}

std::uint64_t thread_count_of(const DiskspdTimeSpan& span) {
    if (span.thread_count > 0) return span.thread_count;
    std::uint64_t count = 0;
    for (const DiskspdTarget& target : span.targets) count += target.threads_per_file;
    return count;
}

// Threads take CPUs in the order of the list, so it needs no more CPUs than there are threads.
std::vector<std::uint32_t> first_of(std::vector<std::uint32_t> cpus, std::uint64_t count) {
    if (cpus.size() > count) cpus.resize(static_cast<std::size_t>(count));
    return cpus;
}

reports::DiskspdCpu named_cpu(std::uint32_t cpu) {
    return {.group = cpu / reports::kDiskspdGroupCpus, .cpu = cpu % reports::kDiskspdGroupCpus};
}

void name_group(std::uint32_t group, const std::vector<std::uint32_t>& allowed, DiskspdTimeSpan& span) {
    const std::size_t before = span.cpus.size();
    for (const std::uint32_t cpu : allowed) {
        if (cpu / reports::kDiskspdGroupCpus == group) span.cpus.push_back(named_cpu(cpu));
    }
    if (span.cpus.size() == before)
        throw UsageError(fmt::format("-ag{}: there is no CPU in this group to which threads can be bound", group));
}

// One CPU of each core, then the others.
std::vector<std::uint32_t> cores_in_turn(const std::vector<std::uint32_t>& cpus, const ums::ProcessorTopology& topology) {
    std::set<std::uint32_t> cores;
    const auto is_first_of_core = [&](std::uint32_t cpu) {
        for (const ums::Processor& processor : topology.processors) {
            if (processor.id == cpu) return cores.insert(processor.core).second;
        }
        return true;
    };
    std::vector<std::uint32_t> firsts;
    std::vector<std::uint32_t> siblings;
    for (const std::uint32_t cpu : cpus) (is_first_of_core(cpu) ? firsts : siblings).push_back(cpu);
    firsts.insert(firsts.end(), siblings.begin(), siblings.end());
    return firsts;
}

}  // namespace

void name_diskspd_cpus(const DiskspdArguments& arguments, const std::vector<std::uint32_t>& allowed, const ums::ProcessorTopology& topology,
                       DiskspdTimeSpan& span) {
    if (span.is_affinity_off) return;
    for (const std::uint32_t group : arguments.cpu_groups) name_group(group, allowed, span);
    if (!span.cpus.empty() || arguments.cpu_order == DiskspdCpuOrder::by_number) return;
    for (const std::uint32_t cpu : cores_in_turn(allowed, topology)) span.cpus.push_back(named_cpu(cpu));
}

std::vector<std::uint32_t> diskspd_cpus(const DiskspdTimeSpan& span, const std::vector<std::uint32_t>& allowed) {
    if (span.is_affinity_off) return {};
    std::vector<std::uint32_t> cpus;
    for (const reports::DiskspdCpu& cpu : span.cpus) cpus.push_back(cpu.group * reports::kDiskspdGroupCpus + cpu.cpu);
    check_cpus("-a", cpus, allowed);
    if (cpus.empty()) cpus = allowed;
    return first_of(std::move(cpus), thread_count_of(span));
}

sim::MeasureSpec diskspd_specification(const DiskspdArguments& arguments, const reports::DiskspdProfile& profile) {
    sim::MeasureSpec spec;
    spec.verify = arguments.verifies;
    if (arguments.wants_ring) spec.engine = sim::EngineChoice::uring;
    std::set<std::string> made;  // by an earlier time span: each file is created once
    for (const DiskspdTimeSpan& span : profile.time_spans) {
        sim::MeasureTimespan result;
        result.warm_up_s = span.warm_up_s;
        result.duration_s = span.duration_s;
        result.cool_down_s = span.cool_down_s;
        result.seed = span.seed;
        result.threads_total = span.thread_count;
        result.requests_per_thread = span.thread_count > 0 ? span.request_count : 0;
        result.measure_latency = span.measures_latency;
        result.iops_interval_ms = span.gathers_iops ? span.interval_ms : 0;
        for (const DiskspdTarget& target : span.targets) {
            result.targets.push_back(diskspd_target_of(arguments, target, span));
            if (target.create_bytes) result.targets.back().keep_existing = !made.insert(target.path).second;
        }
        spec.timespans.push_back(std::move(result));
    }
    return spec;
}

}  // namespace cli
