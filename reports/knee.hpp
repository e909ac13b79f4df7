// Finds where more outstanding requests stop being worthwhile: the knee of a sweep over depths. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reports {

struct SweepPoint {
    double outstanding = 0;  // as requested, of all files together
    double requests_per_s = 0;
    double latency_mean_ms = 0;
    double busiest_cpu_percent = 0;  // user and kernel; 0 = unknown
    double own_cpu_percent = 0;      // of one CPU, taken by the measurement itself, so above 100 with several; 0 = unknown
    bool has_rate = false;           // latency counts from the intended start, and whoever waits for that polls the clock
};

// By Little's law: the rate times the latency. At a rate that the storage cannot keep, the latency also has the time before a request was
// posted, so it is no more than those that were requested.
[[nodiscard]] double requests_in_flight(double requests_per_s, double latency_mean_ms, double outstanding);

struct Knee {
    std::size_t at = 0;  // index of the last point that was still worthwhile
    // Beyond it the mean latency rises faster than the throughput, or the throughput no longer rises...
    bool is_knee = false;        // ... or false: it never did, up to the largest depth
    bool is_cpu_bound = false;   // at the knee, a CPU has no time left, but not for polling: the storage is not what saturates
    bool is_cpu_shared = false;  // ... it has none left because of other programs: what saturates is not known
    // By Little's law, at the knee: the requests in flight, divided by those requested. Well below 1, the requests were not
    // outstanding all the time, because the tasks that post them did not keep up.
    double littles_ratio = 1;
};

// `points`: at least one, by ascending `outstanding`. From one point to the next, throughput and latency each grow by some factor. The knee
// is the last point before the first step in which the latency grows by the larger factor, and the throughput gains less than half of what
// the step in depth promised; or less than a tenth, whatever the latency does. The same must hold from there to every greater depth.
[[nodiscard]] Knee knee_of(const std::vector<SweepPoint>& points);

// "The knee is at 8 outstanding requests: 80,000 requests/s at 0.10 ms. ..." Sentences for people.
[[nodiscard]] std::string knee_text(const std::vector<SweepPoint>& points, const Knee& knee);

}  // namespace reports
