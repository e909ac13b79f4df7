// When a measurement posts its requests: rates, bursts, shares.
#include <algorithm>
#include <cmath>

#include "tests/sim/bench/measurement_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using namespace sim;

TEST_CASE("a rate is kept, and latency counts from the intended start") {
    // 1 ms each, but one in a thousand stalls everything for 200 ms.
    std::uint64_t blocked_until_ns = 0;
    int count = 0;
    VirtualRun* world = nullptr;
    VirtualRun run([&](const ums::IoRequest& request, std::uint32_t) -> std::uint64_t {
        if (request.size_bytes != 8192 || world == nullptr) return 1000;
        const std::uint64_t now_ns = world->clock.now_ns();
        if (++count % 1000 == 0) blocked_until_ns = now_ns + 200 * ums::kNsPerMs;
        return std::max(blocked_until_ns, now_ns + ums::kNsPerMs) - now_ns;
    });
    world = &run;
    MeasureTarget target = small_target();
    target.rate = {MeasureRateUnit::requests_per_s, 1000};
    MeasureSpec spec = spec_of(target);
    spec.timespans[0].duration_s = 10;
    const MeasureRow total = run_spec(run, spec).timespans[0].total();
    CHECK(std::abs(static_cast<double>(total.reads.requests) - 10'000) < 100);
    // In each second 200 requests wait for the stall: the 99th percentile of what a user would see is not 1 ms.
    CHECK(total.reads.latency.percentile_ns(50) < 1'100'000);
    CHECK(total.reads.latency.percentile_ns(90) > 80'000'000);
    CHECK(total.reads.latency.max_ns() > 195'000'000);
}

TEST_CASE("a rate in bytes applies to the thread") {
    VirtualRun run(random_disk(1, 10, 20));
    MeasureTarget target = small_target();
    target.rate = {MeasureRateUnit::bytes_per_s, 8192 * 500.0};
    target.threads = 2;
    const MeasureRow total = run_spec(run, spec_of(target)).timespans[0].total();
    CHECK(std::abs(static_cast<double>(total.reads.requests) - 1000) <= 10);
}

TEST_CASE("bursts are followed by think time") {
    VirtualRun run(random_disk(1, 10, 10));
    MeasureTarget target = small_target();
    target.outstanding = 1;
    target.burst_requests = 10;
    target.think_time_ms = 50;
    const MeasureRow total = run_spec(run, spec_of(target)).timespans[0].total();
    CHECK(total.reads.requests >= 190);
    CHECK(total.reads.requests <= 210);
}

TEST_CASE("think time is no latency, even if a rate would have had its requests start meanwhile") {
    VirtualRun run(random_disk(1, 10, 10));
    MeasureTarget target = small_target();
    target.outstanding = 1;
    target.burst_requests = 10;
    target.think_time_ms = 20;
    target.rate = {MeasureRateUnit::requests_per_s, 1000};
    const MeasureRow total = run_spec(run, spec_of(target)).timespans[0].total();
    CHECK(total.reads.requests > 330);
    CHECK(total.reads.requests < 370);
    CHECK(total.reads.latency.max_ns() < 2 * ums::kNsPerMs);
}

TEST_CASE("a rate and pauses both hold: a burst keeps the rate, and a pause begins when the last request of its burst starts") {
    VirtualRun run(random_disk(1, 10, 10));
    MeasureTarget target = small_target();
    target.outstanding = GENERATE(as<std::uint32_t>(), 1, 4);
    target.burst_requests = 10;
    target.think_time_ms = 25;
    target.rate = {MeasureRateUnit::requests_per_s, 100};
    run_spec(run, spec_of(target));
    const std::vector<Recorded> reads = measured_requests(run, ums::IoOperation::read, target.block_bytes);
    REQUIRE(reads.size() > 50);
    for (std::size_t i = 1; i < reads.size(); ++i) {
        const std::uint64_t gap_us = (reads[i].submitted_ns - reads[i - 1].submitted_ns) / ums::kNsPerUs;
        CHECK(gap_us >= (i % target.burst_requests == 0 ? 25'000U : 10'000U));
        CHECK(gap_us < 26'000);
    }
}

TEST_CASE("targets of one thread get requests by weight, and the rows distinguish threads and targets") {
    VirtualRun run;
    MeasureTarget data = small_target();
    data.weight = 3;
    MeasureTarget log = small_target();
    log.path = "/memory/other.dat";
    MeasureSpec spec = spec_of(data);
    spec.timespans[0].targets.push_back(log);
    spec.timespans[0].threads_total = 2;
    spec.timespans[0].requests_per_thread = 4;
    const MeasureTimespanResults results = run_spec(run, spec).timespans[0];
    CHECK(results.rows.size() == 4);
    CHECK(results.thread_count == 2);
    const double ratio =
        static_cast<double>(results.total_of_target(0).reads.requests) / static_cast<double>(results.total_of_target(1).reads.requests);
    CHECK(std::abs(ratio - 3) < 0.2);
    CHECK(run.storage.in_flight_max() <= 8);
}
