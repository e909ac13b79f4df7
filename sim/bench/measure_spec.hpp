// What a measurement is to do, whichever front end requests it: timespans of targets. Plain data, filled and checked by the front end;
// check_measure_spec() returns a sentence about what the engine cannot do. Sizes and offsets in bytes, times as their names say.
//
// A thread is a group of requests that share a sequential position, a rate and a row of the results, and are posted by one scheduler. It is
// not a system thread: schedulers (one for each CPU in use) run them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/options.hpp"

namespace sim {

enum class MeasureAccess : std::uint8_t {
    sequential,   // each thread from its own start, in strides
    interlocked,  // all threads of the target share one sequential position
    random,       // anywhere in the target, aligned
    mixed,        // `random_percent` of the requests are random; the others follow in strides, all of them reads or all of them writes
};

enum class MeasureContents : std::uint8_t {
    incompressible,  // noise that neither compresses nor deduplicates, new in every write
    zeros,
    counting,  // bytes 0, 1, ... 255, over and over
    buffer,    // pieces of `bytes`, from any offset in it that is a multiple of 512 (of a buffer of one block: its beginning)
    pages,     // our stamped pages, whose versions are recorded, so that reads of them are verified
    sectors,   // the same with 512-byte sectors, for blocks and offsets that are not whole pages
};

// What is written.
struct MeasureSource {
    MeasureContents contents = MeasureContents::incompressible;
    std::shared_ptr<const std::vector<std::byte>> bytes;  // for `buffer`; at least one block
    std::uint32_t compressible_percent = 0;               // incompressible: share of zeros in each 4 KB
    std::uint32_t duplicate_percent = 0;                  // incompressible: share of all blocks that have identical contents
};

// A part of the target, and its share of the random requests. The spans of a target are either all in percent or all in bytes.
struct MeasureSpan {
    std::uint32_t io_percent = 0;  // 0: a hole, which gets no requests
    double target_percent = 0;     // of the target's length, or
    std::uint64_t size_bytes = 0;  // this many bytes
};

enum class MeasureRateUnit : std::uint8_t { none, requests_per_s, bytes_per_s };

// The rate of each thread on the target. Requests then have intended starts, one interval apart, and latency counts from these: so it also
// shows the delay of a request that started late because earlier ones took long. After a pause (think_time_ms) they go on from its end.
struct MeasureRate {
    MeasureRateUnit unit = MeasureRateUnit::none;
    double amount = 0;  // DiskSpd's -g1000: bytes_per_s = 1000 * 1000
};

// Whether a file is mapped into memory, and what happens to a write after it was copied into the mapping.
enum class MeasureView : std::uint8_t {
    none,           // the file is read and written, not mapped
    mapped,         // the system writes it back at any time
    synced,         // it is on stable storage when it completes (msync)
    lines_written,  // its cache lines have left the CPU (for persistent memory)
    lines_started,  // its cache lines are on their way out of the CPU
};

// A thread of a pool that works on a target, and the target's weight among its requests.
struct MeasureThreadShare {
    std::uint32_t thread = 0;  // from 0
    std::uint32_t weight = 1;
};

struct MeasureTarget {
    std::string path;   // file or block device
    std::string label;  // class of work in the results, such as "oltp"; empty: none

    // The file is recreated with this size; an existing file is replaced if it is ours, otherwise only with may_overwrite. 0: it must
    // exist. A file that we create has our mark in its first 512 bytes, and keeps it whatever is written to it.
    std::uint64_t create_bytes = 0;
    // create_bytes applies only if the file is missing or has another size; an existing one of ours is used as it is.
    bool keep_existing = false;
    // The user said explicitly that a file or device without our mark may be overwritten. Reading never requires it. A device that is
    // mounted, or part of another one, is not written to even then.
    bool may_overwrite = false;

    std::uint32_t block_bytes = 65536;
    std::uint32_t block_bytes_min = 0;    // if smaller: each request has a random size, of complete sectors; 0: block_bytes
    std::uint32_t piece_bytes = 0;        // each request consists of memory pieces of this size (gather, scatter); 0: one piece
    std::uint64_t base_offset_bytes = 0;  // where the target begins
    std::uint64_t max_offset_bytes = 0;   // where it ends at the latest; 0: at the end of the file

    MeasureAccess access = MeasureAccess::sequential;
    std::uint32_t random_percent = 0;       // for mixed: 1 to 99
    std::uint64_t alignment_bytes = 0;      // of random requests; for others, also of mixed ones, the stride. 0: block_bytes
    bool is_stride_zero = false;            // every sequential request goes to the same place (DiskSpd's -s0)
    std::uint64_t thread_stride_bytes = 0;  // sequential: thread n begins n times this after the base
    bool same_start = false;         // sequential: every outstanding request advances on its own, from its thread's start (DiskSpd's -p)
    std::vector<MeasureSpan> spans;  // random; empty: the whole target alike. The rest of the target gets the rest of the requests.

    std::uint32_t write_percent = 0;
    MeasureSource source;
    std::uint32_t outstanding = 2;                  // of each thread on this target
    std::uint32_t threads = 1;                      // of this target; not used with MeasureTimespan::threads_total
    std::uint32_t weight = 1;                       // with MeasureTimespan::requests_per_thread: share of a thread's requests
    std::vector<MeasureThreadShare> thread_shares;  // likewise: only these threads, with these weights; empty: all, with `weight`
    MeasureRate rate;
    std::uint32_t burst_requests = 0;  // a thread pauses for think_time_ms after this many requests; 0: never
    std::uint32_t think_time_ms = 0;

    bool direct = true;  // bypasses the system's cache (O_DIRECT)
    // Requests are copies to and from a mapping of the file: one after the other, regardless of how many are outstanding. Not with
    // `direct`.
    MeasureView view = MeasureView::none;
    bool write_through = false;            // each write is on stable storage when it completes (O_DSYNC; for a mapping, msync)
    std::uint32_t flush_every_writes = 0;  // fdatasync after this many writes of a thread; 0: never
};

// Whether every request of the target consists of complete units of this many bytes.
[[nodiscard]] inline bool is_in_units(const MeasureTarget& target, std::uint32_t unit_bytes) {
    return target.block_bytes % unit_bytes == 0 && target.block_bytes_min % unit_bytes == 0 && target.alignment_bytes % unit_bytes == 0 &&
           target.base_offset_bytes % unit_bytes == 0 && target.thread_stride_bytes % unit_bytes == 0;
}

// The weight of a target among those of a thread; 0: the thread does not use it.
[[nodiscard]] inline std::uint32_t weight_of(const MeasureTarget& target, std::uint32_t thread) {
    if (target.thread_shares.empty()) return target.weight;
    for (const MeasureThreadShare& share : target.thread_shares) {
        if (share.thread == thread) return share.weight;
    }
    return 0;
}

// Whether its requests have different sizes.
[[nodiscard]] inline bool has_block_range(const MeasureTarget& target) {
    return target.block_bytes_min != 0 && target.block_bytes_min != target.block_bytes;
}

struct MeasureTimespan {
    std::uint32_t warm_up_s = 0;
    std::uint32_t duration_s = 10;  // the measured time: requests that complete in it count
    std::uint32_t cool_down_s = 0;
    std::uint64_t seed = 0;
    // Of several measurements with the same seed, such as rounds. Each has random places of its own: caches on the path may still hold
    // those of an earlier one, whatever the size of the file.
    std::uint32_t round = 0;

    // 0: every target has its own threads. Otherwise the number of all threads, each with requests on every target...
    std::uint32_t threads_total = 0;
    // ... MeasureTarget::outstanding of them on each or, if this is not 0, this many in total, each on a target chosen by weight.
    std::uint32_t requests_per_thread = 0;

    std::uint32_t cpu_count = 0;          // schedulers; 0: one per thread, but no more than the process has CPUs
    std::vector<std::uint32_t> affinity;  // CPUs below kCpuNumbersMax to which schedulers are bound, in turn; empty: not bound
    bool measure_latency = true;          // false: no histograms, slightly less work
    std::uint32_t iops_interval_ms = 0;   // also counts the requests of each interval; 0: does not

    std::vector<MeasureTarget> targets;
};

struct MeasureSpec {
    std::vector<MeasureTimespan> timespans;  // run one after the other
    EngineChoice engine = EngineChoice::automatic;
    // Our pages are verified when they are read, and those written are read back at the end of each timespan. Applies to targets with
    // MeasureContents::pages or ::sectors, and to targets that only read a file of our pages.
    bool verify = true;
};

}  // namespace sim
