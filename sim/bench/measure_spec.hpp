// What a measurement shall do, whichever front end asks for it: timespans of targets. Plain data, filled and checked by the front end;
// check_measure_spec() says in one sentence what the engine cannot do. Sizes and offsets in bytes, times as their names say.
//
// A thread is a group of requests that share a sequential position, a rate and a row of the result, and are posted by one scheduler. It is
// no thread of the system: schedulers (one for each CPU in use) carry them.
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
    mixed,        // `random_percent` of the requests are random, the others go on behind the one before
};

enum class MeasureContents : std::uint8_t {
    incompressible,  // noise that neither compresses nor deduplicates, new in every write
    zeros,
    counting,  // bytes 0, 1, ... 255, over and over
    buffer,    // pieces of `bytes`, from any place in it that is a multiple of 512 (of a buffer of one block: its beginning)
    pages,     // stamped pages of ours, whose versions are kept: reads of them are verified
};

// What is written.
struct MeasureSource {
    MeasureContents contents = MeasureContents::incompressible;
    std::shared_ptr<const std::vector<std::byte>> bytes;  // for `buffer`; at least one block
    std::uint32_t compressible_percent = 0;               // incompressible: so much of each 4 KB is zeros
    std::uint32_t duplicate_percent = 0;                  // incompressible: so many of all blocks have one content
};

// A part of the target and its share of the random requests. Of a target's spans either all are of percent, or all of bytes.
struct MeasureSpan {
    std::uint32_t io_percent = 0;  // 0: a hole, which gets none
    double target_percent = 0;     // of the target's length, or
    std::uint64_t size_bytes = 0;  // so many bytes
};

enum class MeasureRateUnit : std::uint8_t { none, requests_per_s, bytes_per_s };

// Of each thread on the target. Requests have intended starts then, one interval apart, and their latency counts from these: one that was
// late because those before it took long says so.
struct MeasureRate {
    MeasureRateUnit unit = MeasureRateUnit::none;
    double amount = 0;  // DiskSpd's -g1000: bytes_per_s = 1000 * 1000
};

struct MeasureTarget {
    std::string path;   // file or block device
    std::string label;  // class of work in results, as "oltp"; empty = none

    // The file is made anew with this size (a file that is there is replaced if it is ours, else only with may_overwrite). 0: it must be
    // there already. A file that we make carries our mark in its first 512 bytes, and keeps it whatever is written to it.
    std::uint64_t create_bytes = 0;
    // create_bytes is for a file that is missing or not of this size only; one that is there and ours is used as it is.
    bool keep_existing = false;
    // The user said in so many words that a file or device that does not carry our mark may be written to. Reading never needs it. A
    // device that is mounted, or part of something, is not written to even so.
    bool may_overwrite = false;

    std::uint32_t block_bytes = 65536;
    std::uint32_t block_bytes_min = 0;    // smaller: each request has a size of its own, by chance, in whole 512 bytes; 0 = block_bytes
    std::uint32_t piece_bytes = 0;        // each request is in pieces of memory of this size (gather, scatter); 0 = in one
    std::uint64_t base_offset_bytes = 0;  // the target begins here
    std::uint64_t max_offset_bytes = 0;   // and ends before this; 0 = the end of the file

    MeasureAccess access = MeasureAccess::sequential;
    std::uint32_t random_percent = 0;       // for mixed: 1 to 99
    std::uint64_t alignment_bytes = 0;      // of random requests; for others the stride from one to the next. 0 = block_bytes
    bool is_stride_zero = false;            // every sequential request at the same place (DiskSpd's -s0)
    std::uint64_t thread_stride_bytes = 0;  // sequential: thread n begins n times this behind the base
    bool same_start = false;                // sequential: every outstanding request walks for itself, from the same start (DiskSpd's -p)
    std::vector<MeasureSpan> spans;         // random; empty = all of the target alike. What they leave over gets what they leave over.

    std::uint32_t write_percent = 0;
    MeasureSource source;
    std::uint32_t outstanding = 2;  // of each thread on this target
    std::uint32_t threads = 1;      // of this target; not used with MeasureTimespan::threads_total
    std::uint32_t weight = 1;       // with MeasureTimespan::requests_per_thread: share of a thread's requests
    MeasureRate rate;
    std::uint32_t burst_requests = 0;  // after so many requests of a thread it pauses for think_time_ms; 0 = never
    std::uint32_t think_time_ms = 0;

    bool direct = true;                    // past the system's cache (O_DIRECT)
    bool write_through = false;            // each write is on stable storage when it completes (O_DSYNC)
    std::uint32_t flush_every_writes = 0;  // fdatasync after so many writes of a thread; 0 = never
};

struct MeasureTimespan {
    std::uint32_t warm_up_s = 0;
    std::uint32_t duration_s = 10;  // that is measured: requests which complete in it
    std::uint32_t cool_down_s = 0;
    std::uint64_t seed = 0;

    // 0: every target has threads of its own. Else so many threads in all, each with requests on every target...
    std::uint32_t threads_total = 0;
    // ... MeasureTarget::outstanding of them on each, or (if this is not 0) so many in all, each time on a target by its weight.
    std::uint32_t requests_per_thread = 0;

    std::uint32_t cpu_count = 0;          // schedulers; 0 = one a thread, not more than the process has CPUs
    std::vector<std::uint32_t> affinity;  // CPUs (below 64) that schedulers are bound to, in turn; empty = not bound
    bool measure_latency = true;          // false: no histograms, a little less work
    std::uint32_t iops_interval_ms = 0;   // requests of each interval are counted, too; 0 = not

    std::vector<MeasureTarget> targets;
};

struct MeasureSpec {
    std::vector<MeasureTimespan> timespans;  // one after the other
    EngineChoice engine = EngineChoice::automatic;
    // Pages of ours are verified when they are read, and those that were written read back at the end of each timespan. It concerns targets
    // with MeasureContents::pages, and targets that only read a file of our pages.
    bool verify = true;
};

}  // namespace sim
