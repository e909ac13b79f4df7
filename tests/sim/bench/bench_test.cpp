// Measurements in virtual time on a storage in memory: what each option changes.
#include "sim/bench/bench.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/bench/bench_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/memory_reserve.hpp"

using namespace sim::testing;
using sim::Bench;
using sim::BenchOperation;
using sim::BenchOptions;
using sim::BenchPattern;
using sim::BenchResults;
using ums::kMb;

TEST_CASE("block, scatter and pattern determine what a request looks like") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.block_bytes_min = options.block_bytes_max = 32 * sim::kPageBytes;
    options.pattern = BenchPattern::sequential;
    options.depth = 1;
    SECTION("adjacent frames make one segment, and the offsets ascend") {
        run_bench(run, options);
        const auto requests = of_size(run, ums::IoOperation::read, options.block_bytes_max);
        REQUIRE(requests.size() > 20);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            CHECK(requests[i].segment_count == 1);
            CHECK(requests[i].offset_bytes == i * options.block_bytes_max % (4 * kMb));
        }
    }
    SECTION("scattered memory makes one segment for each page") {
        options.scatter = true;
        options.pattern = BenchPattern::random;
        run_bench(run, options);
        const auto requests = of_size(run, ums::IoOperation::read, options.block_bytes_max);
        REQUIRE(requests.size() > 20);
        std::set<std::uint64_t> places;
        for (const Recorded& request : requests) {
            CHECK(request.segment_count == 32);
            places.insert(request.offset_bytes);
        }
        CHECK(places.size() > 10);
        CHECK(std::any_of(requests.begin() + 1, requests.end(),
                          [&](const Recorded& request) { return request.offset_bytes < (&request - 1)->offset_bytes; }));
    }
}

TEST_CASE("depth is the number of outstanding requests, over all CPUs and files") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.depth = 12;
    options.cpu_count = 2;
    options.files.push_back("/memory/second.mdx");
    run_bench(run, options);
    std::uint32_t most = 0;
    std::uint32_t most_of_file = 0;
    std::set<std::uint32_t> engines;
    for (const Recorded& request : of_size(run, ums::IoOperation::read, sim::kPageBytes)) {
        most = std::max(most, request.in_flight);
        most_of_file = std::max(most_of_file, request.file_in_flight);
        engines.insert(request.engine);
    }
    CHECK(most == 12);
    CHECK(most_of_file >= 6);
    CHECK(most_of_file <= 8);  // of fifteen tasks that share the twelve requests
    CHECK(engines.size() == 2);
}

TEST_CASE("tasks that verify or prepare pages do not add to the outstanding requests") {
    for (const BenchOperation operation : {BenchOperation::read, BenchOperation::write}) {
        VirtualRun run;
        BenchOptions options = small_bench();
        options.depth = 1;
        options.operation = operation;
        CHECK(options.tasks_ahead() == 1);
        run_bench(run, options);
        const auto requests =
            of_size(run, operation == BenchOperation::read ? ums::IoOperation::read : ums::IoOperation::write, sim::kPageBytes);
        CHECK(requests.size() > 100);
        CHECK(std::all_of(requests.begin(), requests.end(), [](const Recorded& request) { return request.in_flight == 1; }));
    }
}

TEST_CASE("the seed determines the offsets, and the duration how many there are") {
    std::vector<std::uint64_t> places[3];
    std::uint64_t requests[3] = {};
    for (int i = 0; i < 3; ++i) {
        VirtualRun run;
        BenchOptions options = small_bench();
        options.seed = i == 1 ? 2 : 1;
        options.seconds = i == 2 ? 3 : 1;
        requests[i] = run_bench(run, options).requests;
        for (const Recorded& request : of_size(run, ums::IoOperation::read, sim::kPageBytes)) places[i].push_back(request.offset_bytes);
        places[i].resize(100);
    }
    CHECK(places[0] != places[1]);
    CHECK(places[0] == places[2]);
    CHECK(requests[2] > 2 * requests[0]);
}

TEST_CASE("durable writes are durable, others are not") {
    const bool durable = GENERATE(false, true);
    VirtualRun run;
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    options.durable = durable;
    run_bench(run, options);
    const auto writes = of_size(run, ums::IoOperation::write, sim::kPageBytes);
    REQUIRE(writes.size() > 100);
    CHECK(std::all_of(writes.begin(), writes.end(), [&](const Recorded& request) { return request.durable == durable; }));
}

TEST_CASE("a measurement that is stopped says so") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.seconds = 1000;
    std::unique_ptr<Bench> bench;
    std::uint64_t reads = 0;
    run.storage.set_tamper([&](ums::IoRequest&, const std::string&) {
        if (++reads == 2000) bench->request_stop();
    });
    bench = std::make_unique<Bench>(options, run.storage, run.clock, run.sink);
    const BenchResults results = bench->run();
    CHECK(results.stopped);
    CHECK(results.duration_ns < 100 * ums::kNsPerSecond);
}

TEST_CASE("a measurement of the own path that gets no memory does not advise settings that it does not have") {
    VirtualRun run;
    std::uint64_t reads = 0;
    run.storage.set_tamper([&](ums::IoRequest&, const std::string&) {
        if (++reads == 2000) CHECK(ums::MemoryReserve::release_for(1));
    });
    const BenchResults results = run_bench(run, small_bench());
    CHECK_THAT(results.failure_reason,
               ContainsSubstring("there is not enough memory") && ContainsSubstring("fewer requests") && !ContainsSubstring("MaxMemoryMB"));
}
