// What a measurement has to do, whichever front end requests it: timespans of targets. Plain data, filled and checked by the front end;
// check_measure_spec() says in one sentence what the engine cannot do. Sizes and offsets in bytes, times as their names say.
//
// A thread is a group of requests that share a sequential position, a rate and a row of the result, and are posted by one scheduler. It is
// not a thread of the system: schedulers (one for each CPU in use) run them.
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
    mixed,        // `random_percent` of the requests are random; the others continue after the previous one
};

enum class MeasureContents : std::uint8_t {
    incompressible,  // noise that neither compresses nor deduplicates, new in every write
    zeros,
    counting,  // bytes 0, 1, ... 255, over and over
    buffer,    // pieces of `bytes`, from any place in it that is a multiple of 512 (of a buffer of one block: its beginning)
    pages,     // stamped pages of ours, whose versions are kept: reads of them are verified
    sectors,   // the same with sectors of 512 bytes, for blocks and offsets that are not complete pages
};

// What is written.
struct MeasureSource {
    MeasureContents contents = MeasureContents::incompressible;
    std::shared_ptr<const std::vector<std::byte>> bytes;  // for `buffer`; at least one block
    std::uint32_t compressible_percent = 0;               // incompressible: share of each 4 KB that is zeros
    std::uint32_t duplicate_percent = 0;                  // incompressible: share of all blocks that have the same contents
};

// A part of the target and its share of the random requests. The spans of a target are either all in percent, or all in bytes.
struct MeasureSpan {
    std::uint32_t io_percent = 0;  // 0: a hole, which gets none
    double target_percent = 0;     // of the target's length, or
    std::uint64_t size_bytes = 0;  // so many bytes
};

enum class MeasureRateUnit : std::uint8_t { none, requests_per_s, bytes_per_s };

// Of each thread on the target. Requests have intended starts then, one interval apart, and their latency counts from these: so the latency
// of a request that was late because earlier ones took long shows that.
struct MeasureRate {
    MeasureRateUnit unit = MeasureRateUnit::none;
    double amount = 0;  // DiskSpd's -g1000: bytes_per_s = 1000 * 1000
};

// Whether a file is mapped into memory, and what happens to a write after it was copied there.
enum class MeasureView : std::uint8_t {
    none,           // the file is read and written, not mapped
    mapped,         // the system writes it when it likes
    synced,         // it is on stable storage when it completes (msync)
    lines_written,  // its cache lines have left the CPU (for persistent memory)
    lines_started,  // its cache lines are on their way
};

// A thread of a pool that works on a target, and the target's share of its requests.
struct MeasureThreadShare {
    std::uint32_t thread = 0;  // from 0
    std::uint32_t weight = 1;
};

struct MeasureTarget {
    std::string path;   // file or block device
    std::string label;  // class of work in results, as "oltp"; empty = none

    // The file is recreated with this size (an existing file is replaced if it is ours, otherwise only with may_overwrite). 0: it must
    // already exist. A file that we create has our mark in its first 512 bytes, and keeps it whatever is written to it.
    std::uint64_t create_bytes = 0;
    // create_bytes is only for a file that is missing or has another size; an existing one of ours is used as it is.
    bool keep_existing = false;
    // The user said explicitly that a file or device without our mark may be written to. Reading never needs it. A device that is mounted,
    // or part of something, is not written to even then.
    bool may_overwrite = false;

    std::uint32_t block_bytes = 65536;
    std::uint32_t block_bytes_min = 0;    // smaller: each request has a random size, a multiple of 512 bytes; 0 = block_bytes
    std::uint32_t piece_bytes = 0;        // each request is in pieces of memory of this size (gather, scatter); 0 = in one
    std::uint64_t base_offset_bytes = 0;  // the target begins here
    std::uint64_t max_offset_bytes = 0;   // and ends before this; 0 = the end of the file

    MeasureAccess access = MeasureAccess::sequential;
    std::uint32_t random_percent = 0;       // for mixed: 1 to 99
    std::uint64_t alignment_bytes = 0;      // of random requests; for others the stride from one to the next. 0 = block_bytes
    bool is_stride_zero = false;            // every sequential request at the same place (DiskSpd's -s0)
    std::uint64_t thread_stride_bytes = 0;  // sequential: thread n begins n times this after the base
    bool same_start = false;                // sequential: every outstanding request walks on its own, from the same start (DiskSpd's -p)
    std::vector<MeasureSpan> spans;  // random; empty = all of the target alike. The rest of the target gets the rest of the requests.

    std::uint32_t write_percent = 0;
    MeasureSource source;
    std::uint32_t outstanding = 2;                  // of each thread on this target
    std::uint32_t threads = 1;                      // of this target; not used with MeasureTimespan::threads_total
    std::uint32_t weight = 1;                       // with MeasureTimespan::requests_per_thread: share of a thread's requests
    std::vector<MeasureThreadShare> thread_shares;  // with it, too: only these threads, with these weights; empty = all, with `weight`
    MeasureRate rate;
    std::uint32_t burst_requests = 0;  // after this many requests a thread pauses for think_time_ms; 0 = never
    std::uint32_t think_time_ms = 0;

    bool direct = true;  // past the system's cache (O_DIRECT)
    // Requests are copies to and from a mapping of the file: one after the other, however many are outstanding. Not with `direct`.
    MeasureView view = MeasureView::none;
    bool write_through = false;            // each write is on stable storage when it completes (O_DSYNC; of a mapping, msync)
    std::uint32_t flush_every_writes = 0;  // fdatasync after this many writes of a thread; 0 = never
};

// Every request of the target is for complete units of so many bytes.
[[nodiscard]] inline bool is_in_units(const MeasureTarget& target, std::uint32_t unit_bytes) {
    return target.block_bytes % unit_bytes == 0 && target.block_bytes_min % unit_bytes == 0 && target.alignment_bytes % unit_bytes == 0 &&
           target.base_offset_bytes % unit_bytes == 0 && target.thread_stride_bytes % unit_bytes == 0;
}

struct MeasureTimespan {
    std::uint32_t warm_up_s = 0;
    std::uint32_t duration_s = 10;  // that is measured: requests which complete in it
    std::uint32_t cool_down_s = 0;
    std::uint64_t seed = 0;

    // 0: every target has threads of its own. Otherwise the number of all threads, each with requests on every target...
    std::uint32_t threads_total = 0;
    // ... MeasureTarget::outstanding of them on each, or (if this is not 0) this many in all, each on a target chosen by weight.
    std::uint32_t requests_per_thread = 0;

    std::uint32_t cpu_count = 0;          // schedulers; 0 = one a thread, not more than the process has CPUs
    std::vector<std::uint32_t> affinity;  // CPUs (below 64) that schedulers are bound to, in turn; empty = not bound
    bool measure_latency = true;          // false: no histograms, a little less work
    std::uint32_t iops_interval_ms = 0;   // requests of each interval are counted, too; 0 = they are not

    std::vector<MeasureTarget> targets;
};

struct MeasureSpec {
    std::vector<MeasureTimespan> timespans;  // one after the other
    EngineChoice engine = EngineChoice::automatic;
    // Our pages are verified when they are read, and those that were written are read back at the end of each timespan. This applies to
    // targets with MeasureContents::pages or ::sectors, and to targets that only read a file of our pages.
    bool verify = true;
};

}  // namespace sim
