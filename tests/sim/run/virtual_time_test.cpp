// An entire run in virtual time is a pure function of its seed and its disk, and hours pass in seconds.
#include <algorithm>
#include <string>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Options;
using sim::Phase;
using sim::Results;

namespace {

// Many random readers of single pages: a load that only the governor holds back.
Options heavy_readers(std::uint32_t target_ms) {
    Options options = quiet_options(VirtualRun::kFolder);
    options.random_user.user_count = 300;
    options.random_user.read_write_ratio = 0;
    options.random_user.sleep_after_ms = 1;
    options.cache_hit_ratio = 0;
    options.target_io_duration_ms = target_ms;
    options.test_cycle_duration_s = 10;
    return options;
}

}  // namespace

TEST_CASE("the same seed gives the identical sequence of requests, on one scheduler and on three") {
    for (const std::uint32_t cpu_count : {1U, 3U}) {
        std::uint64_t hashes[2] = {};
        std::uint64_t counts[2] = {};
        for (int i = 0; i < 2; ++i) {
            VirtualRun run(random_disk(5, 20, 2000));
            Options options = busy_options(VirtualRun::kFolder);
            options.cpu_count = cpu_count;
            options.seed = 99;
            options.files[0].shrinkable = true;
            options.files[0].increment_mb = 1;
            options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 2};
            options.test_cycle_duration_s = 2;
            const Results results = run.run(options);
            CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
            hashes[i] = run.storage.trace_hash();
            counts[i] = run.storage.request_count();
        }
        CHECK(hashes[0] == hashes[1]);
        CHECK(counts[0] == counts[1]);
        CHECK(counts[0] > 1000);
    }
}

TEST_CASE("a stall of more than 15 seconds is reported by a warning while it lasts and when it is over") {
    VirtualRun run;
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 30;
    options.random_user.sleep_after_ms = 500;
    // One read of the main run hangs.
    bool has_stalled = false;
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.memory.set_model([&, &simulation = simulation](const ums::IoRequest& request, std::uint32_t) -> std::uint64_t {
            const bool stalls = !has_stalled && simulation.phase() == Phase::main_run && request.operation == ums::IoOperation::read &&
                                request.owner != nullptr;
            has_stalled |= stalls;
            return stalls ? 18 * ums::kNsPerSecond : 100 * ums::kNsPerUs;
        });
    });
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(results.files[0].long_ios == 1);
    CHECK(results.files[0].max_io_time_us == 18'000'000);
    CHECK(run.sink.count_of(sim::Severity::warning, "has been outstanding for") == 1);
    CHECK(run.sink.count_of(sim::Severity::warning, "completed after 18000 ms") == 1);
    CHECK(run.sink.count_of(sim::Severity::warning) == 2);
}

TEST_CASE("a request that is outstanding for two minutes is a finding and ends the run") {
    VirtualRun run;
    Options options = busy_options(VirtualRun::kFolder);
    options.stop_on_error = false;
    options.test_cycle_duration_s = 600;
    options.random_user.sleep_after_ms = 500;
    bool has_stalled = false;
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.memory.set_model([&, &simulation = simulation](const ums::IoRequest& request, std::uint32_t) -> std::uint64_t {
            const bool stalls = !has_stalled && simulation.phase() == Phase::main_run && request.operation == ums::IoOperation::read &&
                                request.owner != nullptr;
            has_stalled |= stalls;
            return stalls ? 150 * ums::kNsPerSecond : 100 * ums::kNsPerUs;
        });
    });
    const auto findings = run.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == sim::FindingKind::stalled_io);
    CHECK_FALSE(findings[0].is_warning);
    CHECK(or_empty(findings[0].failure).duration_us >= 120'000'000);
    CHECK(or_empty(findings[0].failure).duration_us < 122'000'000);
    CHECK(results.outcome == sim::Outcome::failed);
    CHECK(phase(results, Phase::main_run).duration_us < 160'000'000);
}

TEST_CASE("a request of less than 15 seconds gives no warning") {
    VirtualRun run;
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 30;
    options.random_user.sleep_after_ms = 500;
    int count = 0;
    run.memory.set_model(
        [&](const ums::IoRequest&, std::uint32_t) { return ++count == 2000 ? 14'900 * ums::kNsPerMs : 100 * ums::kNsPerUs; });
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(count > 2000);
    CHECK(results.files[0].long_ios + results.files[1].long_ios == 0);
    CHECK(run.sink.count_of(sim::Severity::warning) == 0);
}

TEST_CASE("on a disk that slows down under load, the average settles at TargetIODuration and requests are throttled") {
    for (const std::uint32_t target_ms : {20U, 60U}) {
        // One request after another, 1 ms each: so many requests fit into the target.
        VirtualRun run;
        run.memory.set_model([&run, free_ns = std::uint64_t{0}](const ums::IoRequest&, std::uint32_t) mutable {
            free_ns = std::max(free_ns, run.clock.now_ns()) + ums::kNsPerMs;
            return free_ns - run.clock.now_ns();
        });
        const Options options = heavy_readers(target_ms);
        std::uint64_t sum_us = 0;
        std::uint64_t samples = 0;
        std::uint64_t most_blocks = 0;
        std::uint64_t start_ns = 0;
        std::uint64_t next_ns = 0;
        const Results results = run.run(options, [&](sim::Simulation& simulation) {
            run.storage.set_tamper([&](ums::IoRequest&, const std::string&) {
                const std::uint64_t now_ns = run.clock.now_ns();
                if (start_ns == 0 && simulation.phase() == Phase::main_run) start_ns = next_ns = now_ns;
                if (start_ns == 0 || now_ns < next_ns) return;
                next_ns = now_ns + 5 * ums::kNsPerMs;
                const sim::Progress progress = simulation.progress();
                if (progress.phase != Phase::main_run || now_ns < start_ns + 3 * ums::kNsPerSecond) return;  // it must settle first
                sum_us += progress.files[0].average_io_duration_us;
                most_blocks = std::max(most_blocks, progress.files[0].request_blocks);
                ++samples;
            });
        });
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        REQUIRE(samples > 1000);
        const double average_ms = static_cast<double>(sum_us) / static_cast<double>(samples) / 1000.0;
        // The rule makes the average oscillate: blocks are discarded for requests that were queued long before.
        CHECK(average_ms > target_ms * 0.6);
        CHECK(average_ms < target_ms * 1.4);
        CHECK(results.files[0].throttle_count > 100);
        CHECK(most_blocks < 5 * target_ms);  // of the 300 that the users could use
        CHECK(results.files[0].target_io_duration_ms == target_ms);
    }
}

TEST_CASE("on a fast disk nothing is throttled, and request blocks are created on demand") {
    VirtualRun run(random_disk(3, 20'000, 30'000));
    Options options = heavy_readers(100);
    options.test_cycle_duration_s = 2;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(results.files[0].throttle_count == 0);
    CHECK(results.files[0].request_blocks >= 250);
    CHECK(results.files[0].average_io_duration_us < 31'000);
}

TEST_CASE("an hour of testing finds nothing wrong with a sound disk") {
    VirtualRun run(random_disk(8, 1000, 30'000));
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 3600;
    options.random_user.sleep_after_ms = 60'000;
    options.audit_user.delay_ms = options.read_ahead_user.delay_ms = options.bulk_update_user.delay_ms = 30'000;
    options.files[0].shrinkable = true;
    options.files[0].increment_mb = 1;
    options.shrink_user = {.min_interval_s = 60, .max_interval_s = 300, .min_extends = 1, .max_extends = 6};
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(phase(results, Phase::main_run).duration_us >= 3'600'000'000);
}
