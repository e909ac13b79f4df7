// What a measurement has found. Plain data. It covers only requests that completed in the measured time, not those of warm-up and
// cool-down.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/bench/measure_spec.hpp"
#include "sim/files/latency_counts.hpp"

namespace sim {

// Reads, or writes.
struct MeasureCounts {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    LatencyCounts latency;  // empty if latency was not measured; with a rate, from the intended start

    void merge(const MeasureCounts& other) {
        requests += other.requests;
        bytes += other.bytes;
        latency.merge(other.latency);
    }
};

// One direction in one interval of time.
struct MeasureIntervalCounts {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    std::uint64_t latency_total_ns = 0;
    std::uint64_t latency_min_ns = 0;  // 0 without requests
    std::uint64_t latency_max_ns = 0;
    double latency_squares_us = 0;  // sum of squares

    void add(std::uint64_t size_bytes, std::uint64_t latency_ns);
    void merge(const MeasureIntervalCounts& other);
};

struct MeasureInterval {
    MeasureIntervalCounts reads;
    MeasureIntervalCounts writes;
};

// What one thread did on one target, or a sum of such rows.
struct MeasureRow {
    std::uint32_t thread = 0;
    std::uint32_t target = 0;  // index in MeasureTimespan::targets
    MeasureCounts reads;
    MeasureCounts writes;
    std::uint64_t flushes = 0;
    std::vector<MeasureInterval> intervals;  // each of MeasureTimespan::iops_interval_ms, the last may be shorter; empty if not requested

    void merge(const MeasureRow& other);  // except for thread and target
    // Adds the intervals at the end of the measured time in which nothing completed.
    void add_idle_intervals(std::uint32_t interval_ms, std::uint64_t duration_ns);
    [[nodiscard]] MeasureCounts both() const;
};

struct MeasureTargetFacts {
    std::string path;              // as it was opened
    std::uint64_t size_bytes = 0;  // of the file or device
    bool was_created = false;
    bool is_device = false;
    bool is_verified = false;  // its pages are ours and were checked
    std::uint64_t pages_verified = 0;
    std::uint64_t pages_read_back = 0;
    // Pages that could not be judged, because a write to them was in flight at the same time, or because their past is unknown.
    std::uint64_t pages_not_judged = 0;
    // Of the part of a file that the target uses, if it reads: what the file system has no data for, as after truncate or fallocate. It
    // answers such reads without the storage. An estimate, when the load begins; 0 for devices.
    double hole_percent = 0;
};

// Shares of one CPU's time in percent, of the measured time.
struct MeasureCpu {
    std::uint32_t id = 0;
    double user_percent = 0;
    double kernel_percent = 0;  // with interrupts
    double idle_percent = 0;    // with waiting for I/O
    double steal_percent = 0;   // taken by the hypervisor

    [[nodiscard]] double usage_percent() const { return user_percent + kernel_percent; }
};

// A block device below a target, from /sys/block/NAME/stat, in the measured time.
struct MeasureDevice {
    std::string name;
    std::uint64_t reads = 0;
    std::uint64_t reads_merged = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t writes = 0;
    std::uint64_t writes_merged = 0;
    std::uint64_t written_bytes = 0;
    double queue_mean = 0;    // requests in it, averaged over the time
    double busy_percent = 0;  // time with at least one request in it
    double wait_mean_ms = 0;  // of a request, in queue and device together
};

// How much the control groups held the process back, in the measured time.
struct MeasureThrottling {
    bool is_known = false;
    std::uint64_t cpu_periods_throttled = 0;  // cpu.stat
    std::uint64_t cpu_throttled_us = 0;
    std::uint64_t io_stalled_us = 0;  // io.pressure: some task waited for I/O
};

// What the machine did in a piece of the measured time; it starts where the previous one ends.
struct MeasureMachineSample {
    std::uint64_t end_ns = 0;    // since the measured time began
    double user_percent = 0;     // mean of all CPUs
    double kernel_percent = 0;   // likewise
    double busiest_percent = 0;  // user and kernel time of the CPU that had most of it
    std::uint64_t cpu_throttled_us = 0;
    std::vector<MeasureDevice> devices;
};

struct MeasureTimespanResults {
    MeasureTimespan spec;
    std::string engine;
    std::string engine_reason;    // why it is not the first choice, or empty
    std::uint32_t cpu_count = 0;  // schedulers
    std::uint32_t thread_count = 0;
    // Threads of each scheduler, if the engine is a pool of them and a scheduler has more requests outstanding than that; otherwise 0.
    std::uint32_t pool_threads = 0;
    std::uint64_t start_utc_us = 0;           // of the measured time
    std::uint64_t duration_ns = 0;            // actually measured
    std::vector<MeasureTargetFacts> targets;  // as in the spec
    std::vector<MeasureRow> rows;             // by thread, then target
    std::vector<MeasureCpu> cpus;             // of the machine, by id; empty if the system does not report them
    std::vector<MeasureDevice> devices;
    MeasureThrottling throttling;
    std::vector<MeasureMachineSample> samples;  // one a second; of long measurements fewer, 512 at most
    std::uint64_t cpu_user_us = 0;              // of this process, all threads, in the measured time
    std::uint64_t cpu_system_us = 0;

    [[nodiscard]] MeasureRow total() const;
    [[nodiscard]] MeasureRow total_of_target(std::uint32_t target) const;
    [[nodiscard]] double seconds() const { return static_cast<double>(duration_ns) / 1e9; }
    [[nodiscard]] double cpu_ns_per_request() const;  // user and system; 0 without requests
    // Mean of all CPUs.
    [[nodiscard]] MeasureCpu cpu_mean() const;
};

struct MeasureResults {
    std::vector<MeasureTimespanResults> timespans;  // those that began
    std::uint64_t finding_count = 0;                // wrong pages, failed requests: reported to the sink one by one
    bool stopped = false;                           // by a person; figures up to that point
    std::string failure_reason;                     // not empty: the storage failed, went away or is full; figures up to that point
};

// Standard deviation of the requests per second over whole intervals, for reads, writes or both. 0 if there are fewer than two intervals.
enum class MeasureDirection : std::uint8_t { reads, writes, both };
[[nodiscard]] double iops_deviation(const MeasureRow& row, std::uint32_t interval_ms, std::uint64_t duration_ns,
                                    MeasureDirection direction);

}  // namespace sim
