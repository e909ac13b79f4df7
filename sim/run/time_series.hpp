// What each file did, second by second: the figures behind the charts. Memory is bounded: when there are too many intervals, short
// neighbors are merged and, if that is not enough, an interval is twice as long from then on. So a long series is as fine at its beginning
// as at its end, however many phases it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/files/sim_file.hpp"
#include "sim/results.hpp"
#include "ums/base/clock.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// An hour of seconds; fewer with many files, so that all files together have no more than kFileSamplesMax.
inline constexpr std::size_t kIntervalsMax = 3600;
inline constexpr std::size_t kFileSamplesMax = 72'000;

// One thread (scheduler 0's).
class TimeSeries {
public:
    // The files and the clock must outlive the object. The first interval begins with the run, at `start_ns`.
    TimeSeries(const std::vector<SimFile*>& files, const ums::Clock& clock, std::uint64_t start_ns);

    // Ends the running interval, which was a part of `phase`.
    void sample(Phase phase, std::uint32_t cycle);
    // The same, if the interval is over; a phase that ended meanwhile has begun a new one. With many files and CPUs the counters take
    // milliseconds to add up, so others get the CPU in between. They may call sample(); the object must outlive the task.
    ums::Task<void> sample_if_due(Phase phase, std::uint32_t cycle);
    [[nodiscard]] std::uint64_t next_sample_ns() const { return interval_start_ns_ + interval_ns_; }

    [[nodiscard]] const std::vector<Interval>& intervals() const { return intervals_; }
    [[nodiscard]] std::vector<FileSample> take_samples(std::size_t file) { return std::move(samples_[file]); }

private:
    [[nodiscard]] FileSample totals_of(const SimFile& file) const;
    [[nodiscard]] bool end_interval(Phase phase, std::uint32_t cycle);
    [[nodiscard]] bool has_unsampled_files() const { return sampled_files_ < files_.size(); }
    void sample_next_file();
    void sample_other_files();
    void merge();

    const std::vector<SimFile*> files_;
    const ums::Clock& clock_;
    const std::uint64_t start_ns_;
    const std::size_t intervals_max_;
    std::uint64_t interval_start_ns_;
    std::uint64_t interval_ns_;
    std::vector<Interval> intervals_;
    std::size_t sampled_files_;                     // which have a sample of the last interval, too
    std::vector<std::vector<FileSample>> samples_;  // by file
    std::vector<FileSample> totals_;                // by file, since the run began
};

}  // namespace sim
