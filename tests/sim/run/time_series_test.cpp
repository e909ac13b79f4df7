#include "sim/run/time_series.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/scheduler_group.hpp"
#include "ums/sched/task_group.hpp"

using namespace sim::testing;
using sim::FileSample;
using sim::Interval;
using sim::IoClass;
using sim::Phase;
using sim::TimeSeries;
using sim::testing::VirtualWorld;

namespace {

using ums::kMb;

std::uint64_t total(const std::vector<FileSample>& samples, std::uint64_t FileSample::*member) {
    std::uint64_t sum = 0;
    for (const FileSample& sample : samples) sum += sample.*member;
    return sum;
}

std::uint64_t coarse_total(const std::vector<FileSample>& samples, sim::CoarseLatency FileSample::*member) {
    std::uint64_t sum = 0;
    for (const FileSample& sample : samples) sum = std::accumulate((sample.*member).begin(), (sample.*member).end(), sum);
    return sum;
}

ums::Task<void> transfer_pages(sim::SimFile& file, ums::IoOperation operation, std::uint32_t pages) {
    const std::vector<ums::IoSegment> segments(pages, {nullptr, sim::kPageBytes});
    co_await file.transfer(operation, sim::kPageBytes, segments, ums::WaitType::io_completion);
}

}  // namespace

TEST_CASE("an interval covers what was done since the previous one") {
    VirtualWorld world;
    world.set_duration_ns(5 * ums::kNsPerMs);
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        TimeSeries series({file.get()}, w.clock, w.clock.now_ns());
        co_await transfer_pages(*file, ums::IoOperation::read, 4);
        co_await transfer_pages(*file, ums::IoOperation::write, 1);
        series.sample(Phase::main_run, 1);
        co_await transfer_pages(*file, ums::IoOperation::write, 2);
        series.sample(Phase::final_checkpoint, 2);
        const std::vector<Interval> intervals = series.intervals();
        REQUIRE(intervals.size() == 2);
        CHECK(intervals[0].start_us == 0);
        CHECK(intervals[0].duration_us == 10'000);
        CHECK(intervals[0].phase == Phase::main_run);
        CHECK(intervals[1].start_us == 10'000);
        CHECK(intervals[1].duration_us == 5'000);
        CHECK(intervals[1].cycle == 2);
        const std::vector<FileSample> samples = series.take_samples(0);
        REQUIRE(samples.size() == 2);
        CHECK(samples[0].reads == 1);
        CHECK(samples[0].writes == 1);
        CHECK(samples[0].read_bytes == 4 * 8192);
        CHECK(samples[0].read_time_us == 5000);
        CHECK(samples[0].request_blocks == 1);
        CHECK(samples[0].read_latency[13] == 1);  // 512 ns * 2^13 = 4.2 ms
        CHECK(samples[1].reads == 0);
        CHECK(samples[1].writes == 1);
        CHECK(samples[1].written_bytes == 2 * 8192);
        CHECK(samples[1].write_latency[13] == 1);
        CHECK(samples[1].read_latency[13] == 0);
    });
}

TEST_CASE("a series that grows too long is merged in pairs, and loses nothing") {
    VirtualWorld world;
    world.set_duration_ns(ums::kNsPerSecond);
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        TimeSeries series({file.get()}, w.clock, w.clock.now_ns());
        for (std::size_t i = 0; i <= sim::kIntervalsMax; ++i) {
            co_await transfer_pages(*file, i % 3 == 0 ? ums::IoOperation::read : ums::IoOperation::write, 1);
            series.sample(i < 1000 ? Phase::initial_update : Phase::main_run, 1);
        }
        CHECK(series.intervals().size() == sim::kIntervalsMax / 2 + 1);
        CHECK(series.intervals()[1].start_us == 2'000'000);
        CHECK(series.intervals()[1].duration_us == 2'000'000);
        CHECK(series.intervals()[499].phase == Phase::initial_update);
        CHECK(series.intervals()[500].phase == Phase::main_run);
        CHECK(series.intervals().back().duration_us == 1'000'000);
        const std::uint64_t next_ns = series.next_sample_ns() - w.clock.now_ns();
        CHECK(next_ns == 2 * ums::kNsPerSecond);
        const std::vector<FileSample> samples = series.take_samples(0);
        CHECK(samples.size() == series.intervals().size());
        CHECK(total(samples, &FileSample::reads) == sim::kIntervalsMax / 3 + 1);
        CHECK(total(samples, &FileSample::reads) + total(samples, &FileSample::writes) == sim::kIntervalsMax + 1);
        CHECK(coarse_total(samples, &FileSample::read_latency) == sim::kIntervalsMax / 3 + 1);
    });
}

TEST_CASE("the intervals of a series of many short phases stay of similar length, and are no longer than its length requires") {
    constexpr std::uint64_t kPhases = 20'000;
    constexpr std::uint64_t kPhaseNs = 10 * ums::kNsPerSecond;
    VirtualWorld world;
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, kMb);
        TimeSeries series({file.get()}, w.clock, w.clock.now_ns());
        for (std::uint64_t i = 0; i < kPhases; ++i) {
            co_await ums::sleep_until(w.clock.now_ns() + kPhaseNs);
            series.sample(Phase::main_run, 1);
        }
        const std::vector<Interval>& intervals = series.intervals();
        CHECK(intervals.size() > sim::kIntervalsMax / 4);
        CHECK(intervals.size() <= sim::kIntervalsMax);
        std::uint64_t longest_us = 0;
        std::uint64_t end_us = 0;
        for (const Interval& interval : intervals) {
            CHECK(interval.start_us == end_us);
            end_us += interval.duration_us;
            longest_us = std::max(longest_us, interval.duration_us);
        }
        CHECK(end_us == kPhases * kPhaseNs / 1000);
        CHECK(longest_us <= 160'000'000);
        CHECK(series.next_sample_ns() - w.clock.now_ns() <= 128 * ums::kNsPerSecond);
        CHECK(series.take_samples(0).size() == intervals.size());
    });
}

TEST_CASE("while a series adds up the counters of many files others run, and the phase may end") {
    VirtualWorld world;
    ums::SchedulerGroupOptions options;
    options.cpu_count = 1;
    options.shuffle_seed = 1;  // tasks yield wherever they may
    ums::SchedulerGroup group(options, world.storage, world.clock);
    auto end_phase = [](VirtualWorld& w, TimeSeries& series, const bool& is_sampled, bool& is_between) -> ums::Task<void> {
        while (series.intervals().empty()) co_await ums::Scheduler::current().yield();
        is_between = !is_sampled;
        w.clock.advance_to(w.clock.now_ns() + ums::kNsPerMs);
        series.sample(Phase::final_checkpoint, 1);
    };
    auto body = [&end_phase](VirtualWorld& w) -> ums::Task<void> {
        std::vector<std::unique_ptr<sim::SimFile>> owned;
        std::vector<sim::SimFile*> files;
        for (std::uint32_t id = 1; id <= 32; ++id) files.push_back(owned.emplace_back(w.make_file(id, kMb)).get());
        TimeSeries series(files, w.clock, w.clock.now_ns());
        co_await ums::sleep_until(w.clock.now_ns() + ums::kNsPerSecond);
        bool is_sampled = false;
        bool is_between = false;
        ums::TaskGroup tasks;
        ums::Scheduler::current().fork(tasks, end_phase(w, series, is_sampled, is_between));
        co_await series.sample_if_due(Phase::main_run, 1);
        is_sampled = true;
        co_await tasks.join();
        CHECK(is_between);
        const std::vector<Interval>& intervals = series.intervals();
        REQUIRE(intervals.size() == 2);
        CHECK(intervals[0].phase == Phase::main_run);
        CHECK(intervals[0].duration_us >= 1'000'000);
        CHECK(intervals[1].phase == Phase::final_checkpoint);
        CHECK(intervals[1].duration_us >= 1'000);
        for (std::size_t i = 0; i < files.size(); ++i) CHECK(series.take_samples(i).size() == 2);
    };
    group.run(body(world));
}

TEST_CASE("latencies and time series of a run agree with the counters of each file, and intervals with the phases") {
    VirtualRun run;
    sim::Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 5;
    const sim::Results results = run.run(options);
    REQUIRE(results.intervals.size() >= 8);
    std::uint64_t end_us = 0;
    std::uint64_t main_run_us = 0;
    for (const Interval& interval : results.intervals) {
        CHECK(interval.start_us == end_us);
        end_us += interval.duration_us;
        if (interval.phase == Phase::main_run) main_run_us += interval.duration_us;
    }
    CHECK(main_run_us >= 5'000'000);
    CHECK(main_run_us < 6'000'000);
    for (const sim::FileResult& file : results.files) {
        const auto count_of = [&](IoClass io_class) { return file.latency[static_cast<std::size_t>(io_class)].count; };
        CHECK(count_of(IoClass::read) == file.reads);
        CHECK(count_of(IoClass::scatter_read) == file.scatter_reads);
        CHECK(count_of(IoClass::gather_write) == file.gather_writes);
        CHECK(count_of(IoClass::write) == (file.is_log ? 0 : file.writes));
        CHECK(count_of(IoClass::log_flush) == (file.is_log ? file.writes : 0));
        REQUIRE(file.samples.size() == results.intervals.size());
        CHECK(total(file.samples, &FileSample::reads) == file.reads + file.scatter_reads);
        CHECK(total(file.samples, &FileSample::writes) == file.writes + file.gather_writes);
        CHECK(total(file.samples, &FileSample::written_bytes) == file.written_bytes);
        CHECK(total(file.samples, &FileSample::throttles) == file.throttle_count);
        CHECK(coarse_total(file.samples, &FileSample::write_latency) == file.writes + file.gather_writes);
        CHECK(file.writes > 0);
    }
}

TEST_CASE("a verification has a time series, second by second, as a run has") {
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    REQUIRE(run.run(options).outcome == sim::Outcome::passed);
    options.job = sim::Job::verify;
    run.memory.set_model([](const ums::IoRequest&, std::uint32_t) -> std::uint64_t { return 1500 * ums::kNsPerMs; });
    const sim::Results results = run.run(options);
    CHECK(results.finding_count == 0);
    std::uint64_t end_us = 0;
    for (const Interval& interval : results.intervals) {
        CHECK(interval.start_us == end_us);
        CHECK(interval.duration_us <= 1'000'000);
        end_us += interval.duration_us;
    }
    CHECK(end_us >= 3'000'000);
    std::uint64_t reads = 0;
    for (const sim::FileResult& file : results.files) {
        CHECK(file.samples.size() == results.intervals.size());
        CHECK(total(file.samples, &FileSample::reads) == file.reads + file.scatter_reads);
        reads += file.reads + file.scatter_reads;
    }
    CHECK(reads > 0);
}
