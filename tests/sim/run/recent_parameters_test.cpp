// [CONFIG], continued: what system tasks have done since SQL Server 2016 and later versions. In virtual time, on a disk in memory.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sim/files/sim_file.hpp"
#include "sim/limits.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::Options;
using sim::Phase;
using sim::Results;
using ums::kMb;

namespace {

// Users that write, with files and memory for many dirty pages, and a log with room for all changes.
Options steady_writers() {
    Options options = quiet_options(VirtualRun::kFolder);
    options.max_memory_mb = 32;
    options.test_cycle_duration_s = 12;
    options.files[0].initial_size_mb = 16;
    options.files[0].max_size_mb = 32;  // so the pool holds all of it
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 64;
    options.checkpoint_interval_ms = 4000;
    options.random_user.user_count = 4;
    options.random_user.read_write_ratio = 10'000;
    options.random_user.rollback_chance = 0;
    options.random_user.jump_to_new_region_chance = 10'000;
    options.random_user.max_log_per_buffer_bytes = 512;
    options.random_user.sleep_after_ms = 200;
    options.cache_hit_ratio = 10'000;
    return options;
}

bool is_in_data_file(const Recorded& request) { return request.path.ends_with(".mdx"); }

Results run_and_tag_phases(VirtualRun& run, const Options& options) {
    return run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&simulation] { return static_cast<int>(simulation.phase()); });
    });
}

bool in_main_run(const Recorded& request) { return request.tag == static_cast<int>(Phase::main_run); }

struct Course {
    std::uint64_t dirty_max = 0;
    double unevenness = 0;  // standard deviation of the writes per second, divided by their mean
};

// Leaves out the first seconds of the main run, until pages are dirty.
Course course_of(const Results& results) {
    std::vector<double> written;
    Course course;
    for (std::size_t i = 0; i < results.intervals.size(); ++i) {
        const bool is_whole_second = results.intervals[i].duration_us > 900'000;
        if (results.intervals[i].phase != Phase::main_run || !is_whole_second) continue;
        course.dirty_max = std::max(course.dirty_max, results.files[0].samples[i].dirty_pages);
        written.push_back(static_cast<double>(results.files[0].samples[i].written_bytes));
    }
    if (written.size() > 4) written.erase(written.begin(), written.begin() + 4);
    double sum = 0;
    double squares = 0;
    for (const double bytes : written) sum += bytes;
    const double mean = sum / static_cast<double>(written.size());
    for (const double bytes : written) squares += (bytes - mean) * (bytes - mean);
    course.unevenness = std::sqrt(squares / static_cast<double>(written.size())) / mean;
    return course;
}

}  // namespace

namespace {

// Three requests at a time, of 5 ms each: redo would get through 600 pages a second.
Course course_with(std::uint32_t target_s, Options options) {
    VirtualRun run([](const ums::IoRequest&, std::uint32_t) { return 5 * ums::kNsPerMs; });
    options.max_outstanding_io = 3;
    options.random_user.sleep_after_ms = 1000;
    options.recent.target_recovery_time_s = target_s;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK((wait_count(results, "DIRTY_PAGE_POLL") > 0) == (target_s != 0));
    return course_of(results);
}

}  // namespace

TEST_CASE("TargetRecoveryTime causes a steady trickle of writes, while a periodic checkpoint causes bursts") {
    const Course by_the_clock = course_with(0, steady_writers());
    const Course indirect = course_with(1, steady_writers());
    INFO("unevenness " << by_the_clock.unevenness << " and " << indirect.unevenness);
    CHECK(indirect.unevenness < by_the_clock.unevenness / 2);
}

TEST_CASE("TargetRecoveryTime limits the number of dirty pages") {
    const Course short_recovery = course_with(1, steady_writers());
    const Course long_recovery = course_with(10, steady_writers());
    INFO("dirty pages " << short_recovery.dirty_max << " and " << long_recovery.dirty_max);
    CHECK(short_recovery.dirty_max > 300);
    CHECK(short_recovery.dirty_max < 800);
    CHECK(long_recovery.dirty_max > short_recovery.dirty_max * 3 / 2);
}

TEST_CASE("an indirect checkpoint keeps ahead of a small log: no task waits for space in it") {
    VirtualRun run;
    Options options = steady_writers();
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 16;
    options.random_user.max_log_per_buffer_bytes = 4096;
    options.random_user.sleep_after_ms = 50;
    options.recent.target_recovery_time_s = 60;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(user(results, "Checkpoint").cycles > 4);
    CHECK(wait_count(results, "LOG_FULL") == 0);
}

TEST_CASE("CheckpointSlowWrite: a checkpoint keeps fewer writes outstanding while they take too long") {
    std::map<std::uint32_t, double> outstanding;
    for (const std::uint32_t limit_ms : {0U, 50U}) {
        VirtualRun run([](const ums::IoRequest& request, std::uint32_t) {
            return (request.operation == ums::IoOperation::write ? 100 : 1) * ums::kNsPerMs;
        });
        Options options = steady_writers();
        options.target_io_duration_ms = 1000;
        options.recent.checkpoint_slow_write_ms = limit_ms;
        const Results results = run_and_tag_phases(run, options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        double sum = 0;
        double count = 0;
        for (const Recorded& request : run.storage.requests()) {
            if (!is_write(request) || !is_in_data_file(request) || !in_main_run(request)) continue;
            sum += request.file_in_flight;
            ++count;
        }
        REQUIRE(count > 0);
        outstanding[limit_ms] = sum / count;
    }
    INFO("writes outstanding: " << outstanding[0] << " and " << outstanding[50]);
    CHECK(outstanding[50] < outstanding[0] / 2);
}

TEST_CASE("CheckpointSlowWrite: slow writes of tempdb, which no checkpoint makes, do not slow down a checkpoint") {
    std::map<std::uint32_t, double> outstanding;
    for (const std::uint32_t limit_ms : {0U, 5U}) {
        VirtualRun run([](const ums::IoRequest& request, std::uint32_t) {
            const auto* const file = static_cast<const sim::SimFile*>(request.owner);
            const bool is_slow = request.operation == ums::IoOperation::write && file != nullptr && file->options().is_tempdb;
            return (is_slow ? 200 : 1) * ums::kNsPerMs;
        });
        Options options = steady_writers();
        options.checkpoint_interval_ms = 1000;
        options.target_io_duration_ms = 1000;
        options.recent.checkpoint_slow_write_ms = limit_ms;
        options.tempdb_user = {.user_count = 8,
                               .file_count = 1,
                               .file_size_mb = 8,
                               .min_spill_kb = 512,
                               .max_spill_kb = 512,
                               .delay_after_cycles = 1,
                               .delay_ms = 1};
        const Results results = run_and_tag_phases(run, options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        double sum = 0;
        double count = 0;
        for (const Recorded& request : run.storage.requests()) {
            if (!is_write(request) || !request.path.ends_with("/data.mdx") || !in_main_run(request)) continue;
            sum += request.file_in_flight;
            ++count;
        }
        REQUIRE(count > 0);
        outstanding[limit_ms] = sum / count;
    }
    INFO("writes outstanding: " << outstanding[0] << " and " << outstanding[5]);
    CHECK(outstanding[5] > outstanding[0] * 0.8);
}

namespace {

// A log that must grow because no checkpoint comes: the writers' records exceed its initial size.
Options growing_log(std::uint64_t increment_mb) {
    Options options = steady_writers();
    options.test_cycle_duration_s = 1;
    options.checkpoint_interval_ms = 60'000;
    options.files[1] = {.path = options.files[1].path, .initial_size_mb = 2, .max_size_mb = 2 + increment_mb, .is_log = true};
    options.files[1].increment_mb = increment_mb;
    options.log_flushes_outstanding = 4;
    options.random_user.user_count = 8;
    options.random_user.sleep_after_ms = 400;
    options.random_user.min_log_per_buffer_bytes = options.random_user.max_log_per_buffer_bytes = 8192;
    return options;
}

// How the added part was zeroed, by one or several requests at a time.
struct Zeroed {
    std::uint64_t bytes = 0;
    std::uint32_t at_a_time = 0;
    std::uint64_t largest_block_bytes = 0;
};

Zeroed zeroed_growth(VirtualRun& run, const Options& options, Results& results) {
    results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    REQUIRE(results.files[1].grown_count > 0);
    Zeroed zeroed;
    for (const Recorded& request : run.storage.requests()) {
        if (!is_write(request) || is_in_data_file(request) || !request.of_load) continue;
        const bool is_zeros = request.size_bytes == kMb;
        if (is_zeros) zeroed.bytes += request.size_bytes;
        if (is_zeros) zeroed.at_a_time = std::max(zeroed.at_a_time, request.file_in_flight);
        if (!is_zeros) zeroed.largest_block_bytes = std::max(zeroed.largest_block_bytes, request.size_bytes);
    }
    return zeroed;
}

}  // namespace

TEST_CASE("LogInstantGrowth: up to 64 MB the log continues in space that was not zeroed") {
    for (const bool is_instant : {false, true}) {
        VirtualRun run;
        Options options = growing_log(4);
        options.recent.log_instant_growth = is_instant;
        Results results;
        const Zeroed zeroed = zeroed_growth(run, options, results);
        CHECK(zeroed.bytes == (is_instant ? 0 : 4 * kMb));
        CHECK(zeroed.largest_block_bytes <= sim::kLogBlockBytesMax);
    }
}

TEST_CASE("LogInstantGrowth: above 64 MB zeros are written to eight parts at a time") {
    for (const bool is_instant : {false, true}) {
        VirtualRun run;
        Options options = growing_log(72);
        options.recent.log_instant_growth = is_instant;
        Results results;
        const Zeroed zeroed = zeroed_growth(run, options, results);
        CHECK(zeroed.bytes == 72 * kMb);
        CHECK((zeroed.at_a_time >= 8) == is_instant);
    }
}

TEST_CASE("LogKBOutstanding is the amount of log that may be being written at the same time") {
    const auto most_bytes = [](std::uint32_t kb_max) {
        VirtualRun run(random_disk(1, 2000, 4000));
        Options options = steady_writers();
        options.test_cycle_duration_s = 2;
        options.random_user.user_count = 20;
        options.random_user.min_log_per_buffer_bytes = options.random_user.max_log_per_buffer_bytes = 32'768;
        options.random_user.sleep_after_ms = 5;
        options.recent.log_kb_outstanding = kb_max;
        std::uint64_t in_flight = 0;
        std::uint64_t most = 0;
        run.storage.set_fault([&](const Recorded& request) {
            if (request.path.ends_with(".ldx") && is_write(request) && request.of_load) in_flight += request.size_bytes;
            most = std::max(most, in_flight);
            return std::error_code{};
        });
        run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
            const bool is_flush = path.ends_with(".ldx") && request.operation == ums::IoOperation::write && request.owner != nullptr;
            if (is_flush) in_flight -= request.size_bytes;
        });
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        return most;
    };
    CHECK(most_bytes(60) <= 60 << 10);
    CHECK(most_bytes(240) <= 240 << 10);
    CHECK(most_bytes(240) > 120 << 10);
    CHECK(most_bytes(0) > 240 << 10);
}
