// What a command line or an XML profile of DiskSpd requests, in DiskSpd's own terms: the writers print it before the results, and the front
// end turns it into the measurement's specification. Plain data, checked by the code that fills it in.
//
// Source of the terms: the options and the XML profile of DiskSpd 2.2 and 2.3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reports {

enum class DiskspdCache : std::uint8_t {
    on,          // -Sb
    local_off,   // -Sr: for files on another machine
    unbuffered,  // -Su
};
enum class DiskspdFlush : std::uint8_t { none, view_of_file, non_volatile, non_volatile_no_drain };  // -Nv, -Nn, -Ni

// A part of a target, and its share of the random requests: -rd.
struct DiskspdRange {
    std::uint32_t io_percent = 0;  // 0 = a hole
    std::uint64_t span = 0;        // percent or bytes of the target, after the previous ranges; 0 = to its end, only in bytes and last
};

struct DiskspdThreadWeight {
    std::uint32_t thread = 0;
    std::uint32_t weight = 0;  // 0 = the target's
};

struct DiskspdTarget {
    std::string path;  // "*1" in a profile: the command line names it
    std::uint32_t block_bytes = 64 * 1024;
    std::uint64_t base_bytes = 0;
    std::uint64_t end_bytes = 0;  // exclusive; 0 = the target's end
    std::optional<std::uint64_t> create_bytes;

    bool sequential_hint = false;
    bool random_hint = false;
    bool temporary_hint = false;
    bool large_pages = false;
    DiskspdCache cache = DiskspdCache::on;
    bool write_through = false;
    bool memory_mapped = false;
    DiskspdFlush flush = DiskspdFlush::none;

    bool zero_buffers = false;
    std::uint64_t buffer_bytes = 0;  // size of a buffer that writes are taken from: random bytes, or those of `buffer_path`
    std::string buffer_path;

    std::uint32_t random_percent = 0;
    std::optional<std::uint64_t> alignment_bytes;  // of random requests, or the stride of sequential ones; nothing = block_bytes
    std::vector<DiskspdRange> distribution;
    bool is_distribution_in_percent = false;
    bool is_interlocked = false;
    bool is_parallel = false;  // -p
    std::uint64_t thread_stride_bytes = 0;

    std::uint32_t request_count = 2;  // outstanding at a time, per thread
    std::uint32_t write_percent = 0;
    std::uint32_t burst_size = 0;  // requests; 0 = no bursts
    std::uint32_t think_time_ms = 0;
    std::uint32_t rate = 0;  // per thread; 0 = no limit
    bool is_rate_in_requests = false;
    std::uint32_t threads_per_file = 1;
    std::uint32_t io_priority = 3;  // 1 very low, 2 low, 3 normal
    std::uint32_t weight = 1;       // among the targets of a pool of threads
    std::vector<DiskspdThreadWeight> thread_weights;

    [[nodiscard]] std::uint64_t alignment() const { return alignment_bytes.value_or(block_bytes); }
};

struct DiskspdCpu {
    std::uint32_t group = 0;
    std::uint32_t cpu = 0;
};

struct DiskspdTimeSpan {
    std::uint32_t duration_s = 10;
    std::uint32_t warm_up_s = 5;
    std::uint32_t cool_down_s = 0;
    bool completion_routines = false;
    bool measures_latency = false;
    bool gathers_iops = false;
    std::uint32_t interval_ms = 1000;  // of the collected IOPS
    bool is_affinity_off = false;
    std::vector<DiskspdCpu> cpus;
    std::uint32_t thread_count = 0;   // in a pool for all targets; 0 = threads_per_file of each target
    std::uint32_t request_count = 0;  // outstanding at a time, per thread of the pool; 0 = request_count of each target
    std::uint32_t seed = 0;
    bool random_write_data = false;  // new random bytes for each write
    std::vector<DiskspdTarget> targets;
};

enum class DiskspdFormat : std::uint8_t { text, xml };
enum class DiskspdPrecreate : std::uint8_t { none, use_max_size, constant_sizes, constant_or_zero_sizes };
// The version of the text, for its readers, where versions differ. `v2_0` is the text of 2014.
enum class DiskspdTextStyle : std::uint8_t { v2_2, v2_1, v2_0 };

struct DiskspdProfile {
    std::string command_line;
    std::uint32_t progress = 0;  // a dot for this many requests of a thread; 0 = none
    std::uint32_t experiments = 0;
    DiskspdFormat format = DiskspdFormat::text;
    bool is_profile_only = false;
    bool is_system_only = false;
    bool is_verbose = false;
    bool shows_waits = false;
    DiskspdPrecreate precreate = DiskspdPrecreate::none;
    std::vector<DiskspdTimeSpan> time_spans;
};

}  // namespace reports
