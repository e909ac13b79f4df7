#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "sim/bench/measurement.hpp"
#include "sim/limits.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kRequestsMax = 65536;

std::string check_spans(const MeasureTarget& target) {
    if (target.spans.empty()) return {};
    if (target.access != MeasureAccess::random && target.access != MeasureAccess::mixed) return "a distribution is for random requests";
    std::uint64_t io_percent = 0;
    double target_percent = 0;
    std::size_t by_size = 0;
    for (const MeasureSpan& span : target.spans) {
        io_percent += span.io_percent;
        target_percent += span.target_percent;
        if (span.size_bytes != 0) ++by_size;
        if ((span.size_bytes != 0) == (span.target_percent > 0)) return "each part of a distribution has a size, or a share of the target";
    }
    if (by_size != 0 && by_size != target.spans.size()) return "either all parts of a distribution have sizes, or all have shares";
    if (io_percent > 100) return "a distribution gives its parts more than 100 % of the requests";
    if (target_percent > 100 + 1e-9) return "the parts of a distribution take more than 100 % of the target";
    const bool is_used_up = by_size == 0 && target_percent > 100 - 1e-9;
    if (io_percent < 100 && is_used_up) return "a distribution uses all of the target, and requests are left over";
    return {};
}

std::string check_source(const MeasureTarget& target) {
    const MeasureSource& source = target.source;
    if (source.compressible_percent > 100 || source.duplicate_percent > 100) return "shares of contents are 0 to 100 %";
    const bool has_shares = source.compressible_percent != 0 || source.duplicate_percent != 0;
    if (has_shares && source.contents != MeasureContents::incompressible)
        return "shares of compressible and of duplicate contents are for noise";
    if (source.contents == MeasureContents::buffer && (!source.bytes || source.bytes->size() < target.block_bytes)) {
        return "the buffer to write from must hold at least one block";
    }
    if (source.contents == MeasureContents::sectors && !is_in_units(target, kSectorBytes)) {
        return "sectors are written and verified in blocks, at offsets and in strides that are multiples of 512 bytes";
    }
    if (source.contents != MeasureContents::pages) return {};
    const bool is_whole = is_in_units(target, kPageBytes) && target.piece_bytes % kPageBytes == 0;
    return is_whole ? "" : "pages are written and verified in blocks, at offsets and in strides of whole pages (8192 bytes)";
}

std::string check_sizes(const MeasureTarget& target) {
    if (target.path.empty()) return "has no path";
    if (target.block_bytes == 0 || target.block_bytes % kSectorBytes != 0) return "a block is a multiple of 512 bytes, and not 0";
    if (target.block_bytes_min > target.block_bytes || target.block_bytes_min % kSectorBytes != 0) {
        return "the smallest block is a multiple of 512 bytes, and not larger than the largest";
    }
    if (target.piece_bytes % kSectorBytes != 0) return "pieces of memory are multiples of 512 bytes";
    if (target.piece_bytes != 0 && (target.block_bytes + target.piece_bytes - 1) / target.piece_bytes > ums::kSegmentsMax) {
        return fmt::format("a request has at most {} pieces", ums::kSegmentsMax);
    }
    if (target.view != MeasureView::none && target.direct) return "what is mapped goes through the system's cache";
    if (target.direct && (target.alignment_bytes % kSectorBytes != 0 || target.base_offset_bytes % kSectorBytes != 0 ||
                          target.thread_stride_bytes % kSectorBytes != 0)) {
        return "without the system's cache offsets and strides are multiples of 512 bytes";
    }
    if (target.max_offset_bytes != 0 && target.max_offset_bytes < target.base_offset_bytes + target.block_bytes) {
        return "no block fits between its first offset and its last";
    }
    return {};
}

std::string check_thread_shares(const MeasureTarget& target, const MeasureTimespan& timespan) {
    if (target.thread_shares.empty()) return {};
    if (timespan.requests_per_thread == 0) return "threads can be chosen only if they share their requests among all targets";
    std::set<std::uint32_t> threads;
    for (const MeasureThreadShare& share : target.thread_shares) {
        if (share.thread >= timespan.threads_total) return fmt::format("there is no thread {}", share.thread);
        if (share.weight == 0) return "needs a weight of at least 1";
        if (!threads.insert(share.thread).second) return fmt::format("thread {} is named twice", share.thread);
    }
    return {};
}

bool has_target(const MeasureTimespan& timespan, std::uint32_t thread) {
    return std::any_of(timespan.targets.begin(), timespan.targets.end(), [&](const MeasureTarget& target) {
        const auto is_it = [&](const MeasureThreadShare& share) { return share.thread == thread; };
        return target.thread_shares.empty() || std::any_of(target.thread_shares.begin(), target.thread_shares.end(), is_it);
    });
}

std::string check_target(const MeasureTarget& target, const MeasureTimespan& timespan) {
    if (std::string text = check_sizes(target); !text.empty()) return text;
    if (std::string text = check_spans(target); !text.empty()) return text;
    if (std::string text = check_source(target); !text.empty()) return text;
    if (std::string text = check_thread_shares(target, timespan); !text.empty()) return text;
    const bool is_sequential = target.access == MeasureAccess::sequential;
    if (target.access == MeasureAccess::mixed && (target.random_percent == 0 || target.random_percent > 99)) {
        return "of mixed requests 1 to 99 % are random";
    }
    if (target.access != MeasureAccess::mixed && target.random_percent != 0) return "a share of random requests is for mixed ones";
    if ((target.thread_stride_bytes != 0 || target.same_start) && !is_sequential) return "starts of threads are for sequential requests";
    if (target.is_stride_zero && !is_sequential) return "a stride of 0 is for sequential requests";
    if (target.write_percent > 100) return "the share of writes is 0 to 100 %";
    if (target.outstanding == 0 && timespan.requests_per_thread == 0) return "needs at least one outstanding request";
    if (target.threads == 0 && timespan.threads_total == 0) return "needs at least one thread";
    if (target.weight == 0 && timespan.requests_per_thread != 0) return "needs a weight of at least 1";
    if (target.rate.unit != MeasureRateUnit::none && !(target.rate.amount > 0 && std::isfinite(target.rate.amount)))
        return "a rate is above 0";
    if ((target.burst_requests == 0) != (target.think_time_ms == 0)) return "bursts and think time are given together";
    const bool needs_thread_of_its_own = target.rate.unit != MeasureRateUnit::none || target.burst_requests != 0;
    if (needs_thread_of_its_own && timespan.requests_per_thread != 0) return "rates and pauses are for threads that have one target each";
    if (target.flush_every_writes != 0 && target.write_percent == 0) return "flushes are for writes";
    return {};
}

}  // namespace

std::string check_measure_spec(const MeasureSpec& spec) {
    if (spec.timespans.empty()) return "nothing to measure: no timespan";
    for (const MeasureTimespan& timespan : spec.timespans) {
        if (timespan.targets.empty()) return "nothing to measure: no target";
        if (timespan.duration_s == 0) return "the duration is at least 1 second";
        if (timespan.cpu_count > kCpusMax) return fmt::format("at most {} CPUs", kCpusMax);
        for (const std::uint32_t cpu : timespan.affinity) {
            if (cpu >= kCpuNumbersMax) return fmt::format("CPU {}: can be bound to CPUs 0 to {} only", cpu, kCpuNumbersMax - 1);
        }
        if (timespan.requests_per_thread != 0 && timespan.threads_total == 0)
            return "a number of requests for each thread over all targets needs a total number of threads";
        std::uint64_t requests = std::uint64_t{timespan.threads_total} * timespan.requests_per_thread;
        std::size_t number = 0;
        for (const MeasureTarget& target : timespan.targets) {
            ++number;
            if (std::string text = check_target(target, timespan); !text.empty())
                return fmt::format("target {} ({}): {}", number, target.path, text);
            const std::uint64_t threads = timespan.threads_total != 0 ? timespan.threads_total : target.threads;
            if (timespan.requests_per_thread == 0) requests += threads * target.outstanding;
            // Here, before their sum is larger than 64 bits hold.
            if (requests > kRequestsMax)
                return fmt::format("{} requests at a time are too many; allowed are at most {}", requests, kRequestsMax);
        }
        for (std::uint32_t thread = 0; thread < timespan.threads_total; ++thread) {
            if (!has_target(timespan, thread)) return fmt::format("thread {} has no target", thread);
        }
    }
    return {};
}

}  // namespace sim
