#include <algorithm>

#include <fmt/format.h>

#include "cli/diskspd/diskspd_arguments.hpp"
#include "cli/process/exit_codes.hpp"

namespace cli {
namespace {

using reports::DiskspdProfile;
using reports::DiskspdRange;
using reports::DiskspdTarget;
using reports::DiskspdTimeSpan;

void fail_if(bool is_wrong, std::string_view text) {
    if (is_wrong) throw UsageError(std::string(text));
}

void check_pool(const DiskspdTimeSpan& span, const DiskspdTarget& target) {
    fail_if(span.thread_count > 0 && target.threads_per_file > 1, "-F and -t: both say how many threads there are; give one of them");
    const bool shares_requests = span.thread_count > 0 && span.request_count > 0;
    if (!shares_requests) {
        fail_if(!target.thread_weights.empty(), "ThreadTargets: need ThreadCount and RequestCount of the time span");
        return;
    }
    fail_if(target.rate > 0, "-g: not together with -O, whose requests go to any target");
    fail_if(target.think_time_ms > 0, "-j: not together with -O, whose requests go to any target");
    fail_if(target.is_parallel, "-p: not together with -O, whose requests go to any target");
    fail_if(target.weight == 0, "Weight: a target's weight is at least 1");
    for (const auto& entry : target.thread_weights) fail_if(entry.thread >= span.thread_count, "ThreadTarget: there is no such thread");
}

void check_random(const DiskspdTarget& target) {
    fail_if(target.thread_stride_bytes > 0, "-T: is for sequential requests, not together with -r");
    fail_if(target.is_interlocked, "-si: is for sequential requests, not together with -r");
    fail_if(target.is_parallel, "-p: is for sequential requests, not together with -r");
}

void check_sequential(const DiskspdTarget& target, bool has_threads, std::vector<std::string>& warnings) {
    fail_if(!target.distribution.empty(), "-rd: is for random requests; add -r or -rs");
    if (target.is_parallel && target.request_count == 1) warnings.emplace_back("-p: has no effect with one request outstanding");
    if (target.is_interlocked) {
        fail_if(target.thread_stride_bytes > 0, "-T: not together with -si, whose threads share one position");
        fail_if(target.is_parallel, "-p: not together with -si, whose threads share one position");
        if (!has_threads) warnings.emplace_back("-si: has no effect with one thread");
        return;
    }
    fail_if(!has_threads && target.thread_stride_bytes > 0, "-T: needs more than one thread");
    const bool belongs_to_one = target.thread_weights.size() == 1;  // of the pool's threads
    if (has_threads && !belongs_to_one && target.thread_stride_bytes == 0) {
        warnings.emplace_back("several threads go through the same target, so its requests are not sequential; -si or -T make them so");
    }
}

void check_bytes(const DiskspdTarget& target) {
    std::uint64_t used_percent = 0;
    for (std::size_t i = 0; i < target.distribution.size(); ++i) {
        const DiskspdRange& range = target.distribution[i];
        const bool reaches_end = range.span == 0 && i + 1 == target.distribution.size();
        fail_if(!reaches_end && range.span < target.block_bytes, "-rd: a part of the target is at least one block");
        used_percent += range.io_percent;
        fail_if(used_percent > 100, "-rd: all shares of the requests together are at most 100 percent");
    }
}

void check_percent(const DiskspdTarget& target) {
    std::uint64_t io_percent = 0;
    std::uint64_t target_percent = 0;
    for (const DiskspdRange& range : target.distribution) {
        io_percent += range.io_percent;
        target_percent += range.span;
        fail_if(io_percent > 100, "-rd: all shares of the requests together are at most 100 percent");
        fail_if(target_percent > 100, "-rd: all parts of the target together are at most 100 percent");
        fail_if(target_percent == 100 && io_percent < 100,
                fmt::format("-rd: {} percent of the requests have no part of the target left", 100 - io_percent));
    }
}

void check_target(const DiskspdTimeSpan& span, const DiskspdTarget& target, std::vector<std::string>& warnings) {
    const bool has_threads = span.thread_count > 1 || target.threads_per_file > 1;
    check_pool(span, target);
    fail_if(target.block_bytes == 0, "BlockSize: a block has at least 1 byte");
    fail_if(target.request_count == 0, "RequestCount: a target has at least one request outstanding");
    fail_if(target.rate > 0 && span.completion_routines, "-g: not together with -x");
    fail_if((target.think_time_ms == 0) != (target.burst_size == 0), "-i and -j: a burst needs both its size and its pause");
    if (target.random_percent > 0) {
        check_random(target);
    } else {
        check_sequential(target, has_threads, warnings);
    }
    if (target.is_distribution_in_percent) {
        check_percent(target);
    } else {
        check_bytes(target);
    }
    fail_if(target.buffer_bytes > 0 && target.buffer_bytes < target.block_bytes, "-Z: a buffer is at least one block");
    if (target.cache == reports::DiskspdCache::local_off) {
        warnings.emplace_back(target.memory_mapped ? "-Sr: has no effect with -Sm: a mapping goes through this machine's cache"
                                                   : "-Sr: this machine's cache is bypassed; the cache of the other machine cannot be");
    }
    fail_if(target.memory_mapped && span.completion_routines, "-Sm: not together with -x");
    fail_if(target.memory_mapped && target.cache == reports::DiskspdCache::unbuffered, "-Sm: memory mapped files go through the cache");
    fail_if(!target.memory_mapped && target.flush != reports::DiskspdFlush::none, "-N: is for memory mapped files; add -Sm");
    fail_if(target.end_bytes != 0 && target.end_bytes <= target.base_bytes, "-f: the end of the target is not after its beginning (-B)");
}

bool names_contents(const DiskspdTimeSpan& span) {
    return span.random_write_data || std::any_of(span.targets.begin(), span.targets.end(), [](const DiskspdTarget& target) {
               return target.zero_buffers || target.buffer_bytes > 0;
           });
}

void add_once(std::vector<std::string>& list, std::vector<std::string> more) {
    for (std::string& text : more) {
        if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
    }
}

}  // namespace

std::vector<std::string> check_diskspd_profile(const DiskspdProfile& profile, bool verifies) {
    std::vector<std::string> warnings;
    fail_if(profile.time_spans.empty(), "the profile has no time span");
    for (const DiskspdTimeSpan& span : profile.time_spans) {
        fail_if(span.is_affinity_off && !span.cpus.empty(), "-n and -a: threads are bound to CPUs, or they are not; give one of them");
        fail_if(span.gathers_iops && span.interval_ms == 0, "IoBucketDuration: an interval has at least 1 ms");
        fail_if(span.targets.empty(), "the profile has a time span without a target");
        if (span.request_count > 0 && span.thread_count == 0) {
            add_once(warnings, {"-O: has no effect without -F; -o says how many requests each thread has outstanding"});
        }
        if (verifies && names_contents(span)) {
            add_once(warnings, {"-Z: has no effect with --verify, which writes ioproof's pages or sectors"});
        }
        for (const DiskspdTarget& target : span.targets) {
            std::vector<std::string> of_target;
            check_target(span, target, of_target);
            add_once(warnings, std::move(of_target));
            fail_if(!profile.is_profile_only && target.path.starts_with('*'),
                    fmt::format("{}: the profile leaves this target open; name it on the command line", target.path));
        }
    }
    return warnings;
}

}  // namespace cli
