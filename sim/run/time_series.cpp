#include "sim/run/time_series.hpp"

#include <algorithm>

#include "ums/base/units.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

bool is_read(std::size_t io_class) {
    return io_class == static_cast<std::size_t>(IoClass::read) || io_class == static_cast<std::size_t>(IoClass::scatter_read);
}

// `begin` and `end` are totals.
FileSample difference(const FileSample& end, const FileSample& begin) {
    FileSample sample = end;
    sample.reads -= begin.reads;
    sample.writes -= begin.writes;
    sample.read_bytes -= begin.read_bytes;
    sample.written_bytes -= begin.written_bytes;
    sample.read_time_us -= begin.read_time_us;
    sample.write_time_us -= begin.write_time_us;
    sample.throttles -= begin.throttles;
    for (std::size_t i = 0; i < kCoarseLatencyBuckets; ++i) {
        sample.read_latency[i] -= begin.read_latency[i];
        sample.write_latency[i] -= begin.write_latency[i];
    }
    return sample;
}

FileSample merged(const FileSample& first, const FileSample& second) {
    FileSample sample = second;
    sample.reads += first.reads;
    sample.writes += first.writes;
    sample.read_bytes += first.read_bytes;
    sample.written_bytes += first.written_bytes;
    sample.read_time_us += first.read_time_us;
    sample.write_time_us += first.write_time_us;
    sample.throttles += first.throttles;
    sample.outstanding = std::max(first.outstanding, second.outstanding);
    sample.dirty_pages = std::max(first.dirty_pages, second.dirty_pages);
    for (std::size_t i = 0; i < kCoarseLatencyBuckets; ++i) {
        sample.read_latency[i] += first.read_latency[i];
        sample.write_latency[i] += first.write_latency[i];
    }
    return sample;
}

Interval merged(const Interval& first, const Interval& second) {
    Interval interval = first.duration_us >= second.duration_us ? first : second;
    interval.start_us = first.start_us;
    interval.duration_us = first.duration_us + second.duration_us;
    return interval;
}

// How many neighbors become one interval each, so that none lasts much longer than `interval_us`: the clock ends intervals a little late.
std::vector<std::size_t> neighbors_to_merge(const std::vector<Interval>& intervals, std::uint64_t interval_us) {
    const std::uint64_t longest_us = interval_us + interval_us / 4;
    std::vector<std::size_t> counts;
    std::uint64_t sum_us = 0;
    for (const Interval& interval : intervals) {
        const bool fits = !counts.empty() && sum_us + interval.duration_us <= longest_us;
        if (!fits) {
            counts.push_back(0);
            sum_us = 0;
        }
        ++counts.back();
        sum_us += interval.duration_us;
    }
    return counts;
}

// In place: the next `counts[0]` items become one, then the next `counts[1]`, and so on.
template <typename Item>
void merge_neighbors(std::vector<Item>& items, const std::vector<std::size_t>& counts) {
    std::size_t kept = 0;
    std::size_t next = 0;
    for (const std::size_t count : counts) {
        Item sum = items[next];
        for (std::size_t i = 1; i < count; ++i) sum = merged(sum, items[next + i]);
        items[kept++] = sum;
        next += count;
    }
    items.resize(kept);
}

}  // namespace

TimeSeries::TimeSeries(const std::vector<SimFile*>& files, const ums::Clock& clock, std::uint64_t start_ns)
    : files_(files),
      clock_(clock),
      start_ns_(start_ns),
      intervals_max_(std::clamp<std::size_t>(kFileSamplesMax / std::max<std::size_t>(files.size(), 1), 60, kIntervalsMax)),
      interval_start_ns_(start_ns),
      interval_ns_(ums::kNsPerSecond),
      sampled_files_(files.size()),
      samples_(files.size()),
      totals_(files.size()) {}

FileSample TimeSeries::totals_of(const SimFile& file) const {
    FileSample total;
    std::uint64_t read_time_ns = 0;
    std::uint64_t write_time_ns = 0;
    for (const FileCounters& cpu : file.counters()) {
        total.reads += cpu.reads.value() + cpu.scatter_reads.value();
        total.writes += cpu.writes.value() + cpu.gather_writes.value();
        total.read_bytes += cpu.read_bytes.value();
        total.written_bytes += cpu.written_bytes.value();
        for (std::size_t io_class = 0; io_class < kIoClassCount; ++io_class) {
            const LatencyHistogram& histogram = cpu.latency[io_class];
            (is_read(io_class) ? read_time_ns : write_time_ns) += histogram.total_ns();
            CoarseLatency& coarse = is_read(io_class) ? total.read_latency : total.write_latency;
            for (std::uint32_t i = 0; i < kLatencyOctaves; ++i) coarse[i] += histogram.octave_count(i);
        }
    }
    total.read_time_us = read_time_ns / 1000;
    total.write_time_us = write_time_ns / 1000;
    total.throttles = file.governor().throttle_count();
    total.outstanding = file.outstanding();
    total.request_blocks = file.governor().blocks();
    total.dirty_pages = dirty_pages_of(file.counters());
    return total;
}

// False: less than a microsecond is no interval.
bool TimeSeries::end_interval(Phase phase, std::uint32_t cycle) {
    const std::uint64_t now_ns = clock_.now_ns();
    if (now_ns - interval_start_ns_ < 1000) return false;
    const std::uint64_t start_us = (interval_start_ns_ - start_ns_) / 1000;
    intervals_.push_back({start_us, (now_ns - start_ns_) / 1000 - start_us, phase, cycle});
    interval_start_ns_ = now_ns;
    sampled_files_ = 0;
    return true;
}

void TimeSeries::sample_next_file() {
    const std::size_t file = sampled_files_++;
    const FileSample total = totals_of(*files_[file]);
    samples_[file].push_back(difference(total, totals_[file]));
    totals_[file] = total;
}

void TimeSeries::sample_other_files() {
    while (has_unsampled_files()) sample_next_file();
    if (intervals_.size() > intervals_max_) merge();
}

void TimeSeries::sample(Phase phase, std::uint32_t cycle) {
    sample_other_files();  // of an interval that sample_if_due() has ended
    if (end_interval(phase, cycle)) sample_other_files();
}

ums::Task<void> TimeSeries::sample_if_due(Phase phase, std::uint32_t cycle) {
    if (clock_.now_ns() < next_sample_ns() || !end_interval(phase, cycle)) co_return;
    while (has_unsampled_files()) {
        sample_next_file();
        co_await ums::Scheduler::current().yield_if_due();
    }
    sample_other_files();
}

// Short phases end intervals before their time: when the series is full of those, longer intervals are not what it needs.
void TimeSeries::merge() {
    std::vector<std::size_t> counts = neighbors_to_merge(intervals_, interval_ns_ / 1000);
    while (counts.size() > intervals_max_ - intervals_max_ / 4) {
        interval_ns_ *= 2;
        counts = neighbors_to_merge(intervals_, interval_ns_ / 1000);
    }
    merge_neighbors(intervals_, counts);
    for (auto& samples : samples_) merge_neighbors(samples, counts);
}

}  // namespace sim
