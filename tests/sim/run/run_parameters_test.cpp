// [CONFIG]: every parameter changes what a run does. In virtual time, on a disk in memory.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/limits.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::kPageBytes;
using sim::Options;
using sim::Phase;
using sim::Results;

namespace {

using ums::kMb;

Options quiet() { return quiet_options(VirtualRun::kFolder); }

// Only random users that read.
Options readers() {
    Options options = quiet();
    options.random_user.user_count = 4;
    options.random_user.read_write_ratio = 0;
    options.random_user.jump_to_new_region_chance = 10000;
    return options;
}

// Only random users that write.
Options writers() {
    Options options = quiet();
    options.random_user.user_count = 4;
    options.random_user.read_write_ratio = 10000;
    options.random_user.rollback_chance = 0;
    options.random_user.jump_to_new_region_chance = 10000;
    options.random_user.max_log_per_buffer_bytes = 512;
    return options;
}

const sim::FileResult& data_file(const Results& results) { return results.files.at(0); }

bool is_data(const Recorded& request) { return request.path.ends_with(".mdx"); }

// Marks every request with the phase it belongs to.
Results run_with_phases(VirtualRun& run, const Options& options) {
    return run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&simulation] { return static_cast<int>(simulation.phase()); });
    });
}

bool in_phase(const Recorded& request, Phase phase) { return request.tag == static_cast<int>(phase); }

}  // namespace

TEST_CASE("CPUCount is the number of schedulers, and all of them work") {
    for (const std::uint32_t cpu_count : {1U, 3U, 8U}) {
        VirtualRun run;
        Options options = busy_options(VirtualRun::kFolder);
        options.cpu_count = cpu_count;
        options.random_user.user_count = 16;
        options.random_user.sleep_after_ms = 100;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        CHECK(results.cpu_count == cpu_count);
        REQUIRE(results.schedulers.size() == cpu_count);
        for (const sim::SchedulerResult& scheduler : results.schedulers) CHECK(scheduler.io_requests > 0);
    }
}

TEST_CASE("MaxMemoryMB is the size of the pool: a large pool keeps pages that a small one has to read again") {
    std::map<std::uint64_t, std::uint64_t> reads;
    for (const std::uint64_t memory_mb : {8U, 32U}) {
        VirtualRun run;
        Options options = readers();
        options.files[0].initial_size_mb = options.files[0].max_size_mb = 32;
        options.max_memory_mb = memory_mb;
        options.cache_hit_ratio = 10000;
        options.test_cycle_duration_s = 4;
        const Results results = run.run(options);
        CHECK(results.buffer_pool_bytes == memory_mb * kMb);
        reads[memory_mb] = phase(results, Phase::main_run).pages_read;
    }
    CHECK(reads[8] > reads[32] * 3 / 2);
}

TEST_CASE("CacheHitRatio 0 reads every page from the file, 10000 only those that are not in memory") {
    std::map<std::uint32_t, std::uint64_t> looked;
    std::map<std::uint32_t, std::uint64_t> read;
    for (const std::uint32_t ratio : {0U, 5000U, 10000U}) {
        VirtualRun run;
        Options options = readers();
        options.cache_hit_ratio = ratio;
        options.random_user.jump_to_new_region_chance = 0;
        const Results results = run.run(options);
        looked[ratio] = user(results, "RandomUser").pages_read;
        read[ratio] = phase(results, Phase::main_run).pages_read;
    }
    CHECK(read[0] == looked[0]);
    CHECK(read[5000] > looked[5000] * 4 / 10);
    CHECK(read[5000] < looked[5000] * 6 / 10 + 400);
    CHECK(read[10000] <= 4 * 100);
    CHECK(looked[10000] > 1000);
}

TEST_CASE("CacheHitRatio also applies to pages that are changed again and again: they are written, then read") {
    std::map<std::uint32_t, double> share;
    for (const std::uint32_t ratio : {0U, 5000U, 10000U}) {
        VirtualRun run;
        Options options = writers();
        options.cache_hit_ratio = ratio;
        options.random_user.user_count = 1;  // so that no other user dirties a page between its write and its read
        options.random_user.jump_to_new_region_chance = 0;
        options.checkpoint_interval_ms = 60'000;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        const std::uint64_t updates = user(results, "RandomUser").pages_updated;
        CHECK(updates > 1000);
        share[ratio] = static_cast<double>(phase(results, Phase::main_run).pages_read) / static_cast<double>(updates);
    }
    CHECK(share[0] == 1);
    CHECK(share[5000] > 0.45);
    CHECK(share[5000] < 0.6);
    CHECK(share[10000] < 0.1);
}

TEST_CASE("TestCycles 2 goes through all phases twice") {
    VirtualRun run;
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycles = 2;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(results.cycles_completed == 2);
    for (const std::uint32_t cycle : {1U, 2U}) {
        CHECK(phase(results, Phase::initial_update, cycle).pages_written > 0);
        CHECK(phase(results, Phase::main_run, cycle).pages_read > 0);
        CHECK(phase(results, Phase::final_audit, cycle).pages_verified == 1024);
        // What the audit of the first cycle has read is not read again.
        CHECK(phase(results, Phase::initial_update, cycle).pages_read == 0);
    }
}

TEST_CASE("TestCycles 0 goes on until the run is stopped") {
    VirtualRun run;
    Options options = quiet();
    options.test_cycles = 0;
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&simulation] {
            if (simulation.progress().cycle == 5) simulation.request_stop();
            return 0;
        });
    });
    CHECK(results.outcome == sim::Outcome::stopped);
    CHECK(results.cycles_completed == 4);
}

TEST_CASE("TestCycleDuration is the length of the main run") {
    for (const std::uint64_t duration_s : {1U, 7U}) {
        VirtualRun run;
        Options options = readers();
        options.random_user.sleep_after_ms = 50;
        options.test_cycle_duration_s = duration_s;
        const Results results = run.run(options);
        const std::uint64_t duration_us = phase(results, Phase::main_run).duration_us;
        CHECK(duration_us >= duration_s * 1'000'000);
        CHECK(duration_us < duration_s * 1'000'000 + 100'000);
    }
}

TEST_CASE("MaxOutstandingIO applies to all files together and in every phase") {
    for (const std::uint32_t limit : {1U, 7U, 0U}) {
        VirtualRun run(random_disk(1, 1000, 3000));
        Options options = busy_options(VirtualRun::kFolder);
        options.random_user.user_count = 20;
        options.max_outstanding_io = limit;
        options.use_scatter_gather = false;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        if (limit != 0) {
            CHECK(run.storage.in_flight_max() == limit);
        } else {
            CHECK(run.storage.in_flight_max() > 50);
        }
    }
}

TEST_CASE("UseScatterGather FALSE makes a separate request for each page") {
    for (const bool scatter : {true, false}) {
        VirtualRun run;
        Options options = busy_options(VirtualRun::kFolder);
        options.use_scatter_gather = scatter;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        const auto several = run.storage.select([](const Recorded& request) { return is_data(request) && request.segment_count > 1; });
        const auto reads = std::count_if(several.begin(), several.end(), is_read);
        const auto writes = std::count_if(several.begin(), several.end(), is_write);
        CHECK((reads > 0) == scatter);
        CHECK((writes > 0) == scatter);
        CHECK((data_file(results).scatter_reads > 0) == scatter);
        CHECK((data_file(results).gather_writes > 0) == scatter);
        CHECK(data_file(results).reads > 0);
    }
}

TEST_CASE("each page of a transfer has a separate buffer, unless MergeBuffers merges adjacent ones") {
    for (const bool merge : {false, true}) {
        VirtualRun run;
        Options options = quiet();
        options.read_ahead_user = {.user_count = 2, .min_pages = 64, .max_pages = 64, .delay_after_cycles = 1, .delay_ms = 5};
        options.merge_buffers = merge;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        const auto transfers = run.storage.select([](const Recorded& request) {
            return request.of_load && is_data(request) && request.size_bytes == 64 * std::uint64_t{kPageBytes};
        });
        REQUIRE(transfers.size() > 10);
        const auto separate = std::count_if(transfers.begin(), transfers.end(), [](const auto& r) { return r.segment_count == 64; });
        if (merge) {
            CHECK(separate < static_cast<std::ptrdiff_t>(transfers.size()) / 2);
        } else {
            CHECK(separate == static_cast<std::ptrdiff_t>(transfers.size()));
        }
    }
}

TEST_CASE("ForceReadAhead reads pages even if they are in memory") {
    std::map<bool, std::uint64_t> reads;
    for (const bool force : {true, false}) {
        VirtualRun run;
        Options options = quiet();
        options.files[0].initial_size_mb = options.files[0].max_size_mb = 4;
        options.read_ahead_user = {.user_count = 2, .min_pages = 16, .max_pages = 64, .delay_after_cycles = 1, .delay_ms = 5};
        options.force_read_ahead = force;
        options.test_cycle_duration_s = 2;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        CHECK(user(results, "ReadAheadUser").cycles > 500);
        CHECK(user(results, "ReadAheadUser").pages_read == phase(results, Phase::main_run).pages_read);
        reads[force] = phase(results, Phase::main_run).pages_read;
    }
    CHECK(reads[true] > 500 * 16);
    CHECK(reads[false] <= 512);  // each page of the file once: all of them fit into the pool
}

TEST_CASE("the time series counts outstanding requests, not those that wait for their turn") {
    VirtualRun run(random_disk(1, 1000, 3000));
    Options options = readers();
    options.random_user.user_count = 40;
    options.max_outstanding_io = 7;
    const Results results = run.run(options);
    std::uint32_t most = 0;
    for (const sim::FileSample& sample : data_file(results).samples) most = std::max(most, sample.outstanding);
    CHECK(most == 7);
}

TEST_CASE("StampFiles writes zeros to data files, and log files always get them") {
    for (const bool stamp : {true, false}) {
        VirtualRun run;
        Options options = quiet();
        options.stamp_files = stamp;
        const Results results = run_with_phases(run, options);
        std::map<std::string, std::uint64_t> bytes;
        for (const Recorded& request : run.storage.requests()) {
            if (is_write(request) && in_phase(request, Phase::create)) bytes[request.path] += request.size_bytes;
        }
        CHECK(bytes[options.files[0].path] == (stamp ? 8 * kMb : kPageBytes));
        CHECK(bytes[options.files[1].path] == 4 * kMb);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    }
}

TEST_CASE("CheckpointPages is the largest gather write") {
    for (const std::uint32_t pages : {32U, 128U}) {
        VirtualRun run;
        Options options = quiet();
        options.checkpoint_pages = pages;
        const Results results = run.run(options);
        std::uint64_t largest = 0;
        for (const Recorded& request : run.storage.requests()) {
            if (is_write(request) && request.of_load && is_data(request)) largest = std::max(largest, request.size_bytes);
        }
        CHECK(largest == std::uint64_t{pages} * kPageBytes);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    }
}

TEST_CASE("CheckpointInterval is the pause between checkpoints of the main run") {
    std::map<std::uint32_t, std::uint64_t> checkpoints;
    for (const std::uint32_t interval_ms : {100U, 1000U, 60'000U}) {
        VirtualRun run;
        Options options = quiet();
        options.test_cycle_duration_s = 10;
        options.checkpoint_interval_ms = interval_ms;
        checkpoints[interval_ms] = user(run.run(options), "Checkpoint").cycles;
    }
    // The initial and the final checkpoint come on top.
    CHECK(checkpoints[100] > 90);
    CHECK(checkpoints[100] <= 102);
    CHECK(checkpoints[1000] >= 10);
    CHECK(checkpoints[1000] <= 12);
    CHECK(checkpoints[60'000] == 2);
}

TEST_CASE("LogFlushesOutstanding is the number of log writes that may be outstanding") {
    for (const std::uint32_t flushes : {1U, 4U, 112U}) {
        VirtualRun run(random_disk(1, 2000, 4000));
        Options options = writers();
        options.random_user.user_count = 60;
        options.random_user.max_io_chain_pages = options.random_user.min_io_chain_pages = 2;
        options.log_flushes_outstanding = flushes;
        const Results results = run.run(options);
        std::uint32_t most = 0;
        for (const Recorded& request : run.storage.requests()) {
            if (is_write(request) && request.of_load && !is_data(request)) most = std::max(most, request.file_in_flight);
        }
        CHECK(most <= flushes);
        CHECK(most >= std::min(flushes, 8U));
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    }
}

TEST_CASE("AllowIOBursts keeps the governor out of the initial update and checkpoints") {
    std::map<bool, double> average;
    for (const bool bursts : {true, false}) {
        // A disk that gets slower with every request it has.
        VirtualRun run([](const ums::IoRequest&, std::uint32_t outstanding) { return outstanding * ums::kNsPerMs; });
        Options options = quiet();
        options.use_scatter_gather = false;
        options.files[0].max_size_mb = options.files[0].initial_size_mb = 16;
        options.target_io_duration_ms = 10;
        options.allow_io_bursts = bursts;
        const Results results = run_with_phases(run, options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        // The first requests meet an average that is still at the target.
        const auto requests =
            run.storage.select([](const Recorded& request) { return in_phase(request, Phase::initial_update) && is_data(request); });
        REQUIRE(requests.size() > 1000);
        const std::size_t half = requests.size() / 2;
        for (std::size_t i = half; i < 2 * half; ++i) average[bursts] += requests[i].file_in_flight / static_cast<double>(half);
        CHECK(data_file(results).throttle_count > 0);
    }
    CHECK(average[true] > 50);
    CHECK(average[false] < 20);
}

TEST_CASE("the seed determines what users choose, and nothing else does") {
    std::set<std::uint64_t> traces;
    for (const std::uint64_t seed : {1U, 2U, 1U}) {
        VirtualRun run;
        Options options = busy_options(VirtualRun::kFolder);
        options.seed = seed;
        const Results results = run.run(options);
        CHECK(results.seed == seed);
        traces.insert(run.storage.trace_hash());
    }
    CHECK(traces.size() == 2);
}
