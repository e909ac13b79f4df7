// Log blocks that a measurement writes, in virtual time on a storage in memory.
#include "sim/bench/log_stream.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>

#include "sim/page/log_layout.hpp"
#include "tests/sim/bench/bench_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::BenchOperation;
using sim::BenchOptions;
using sim::BenchPattern;
using sim::BenchResults;
using ums::kMb;

TEST_CASE("a log block is prepared while another one is being written, and posted only then") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    options.pattern = BenchPattern::sequential;
    options.block_bytes_min = options.block_bytes_max = 61440;
    options.depth = 1;
    CHECK(options.tasks_ahead() == 1);
    std::set<const std::byte*> memory;  // of blocks in use: one being written, one being prepared
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation == ums::IoOperation::write && request.size_bytes == 61440) memory.insert(request.segments[0].data);
    });
    run_bench(run, options);
    const auto writes = of_size(run, ums::IoOperation::write, 61440);
    CHECK(writes.size() > 100);
    CHECK(std::all_of(writes.begin(), writes.end(), [](const Recorded& request) { return request.in_flight == 1; }));
    CHECK(memory.size() == 2);
}

TEST_CASE("log blocks follow each other without gaps, vary in size within the bounds, and are read back") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    options.pattern = BenchPattern::sequential;
    options.block_bytes_min = 4096;
    options.block_bytes_max = 61440;
    options.depth = 1;
    const BenchResults results = run_bench(run, options);
    CHECK(results.finding_count == 0);
    CHECK(results.pages_read_back > 0);
    const auto writes = run.storage.select([](const Recorded& request) { return request.of_load && is_write(request); });
    REQUIRE(writes.size() == results.requests);
    std::uint64_t next_bytes = sim::kPageBytes;
    std::set<std::uint64_t> sizes;
    for (const Recorded& write : writes) {
        if (next_bytes + write.size_bytes > 4 * kMb) next_bytes = sim::kPageBytes;
        CHECK(write.offset_bytes == next_bytes);
        next_bytes += write.size_bytes;
        sizes.insert(write.size_bytes);
        CHECK(write.size_bytes % 4096 == 0);
    }
    CHECK(*sizes.begin() == 4096);
    CHECK(*sizes.rbegin() == 61440);
    sim::LogBlockHeader header{};
    run.memory.find(kBenchFile)->read(sim::kPageBytes, reinterpret_cast<std::byte*>(&header), sizeof header);
    CHECK(header.magic == sim::kLogMagic);
}

TEST_CASE("a lost log block is a finding when it is read back") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    options.pattern = BenchPattern::sequential;
    options.block_bytes_min = options.block_bytes_max = 4096;
    options.depth = 2;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation == ums::IoOperation::read && request.size_bytes == 4096 && request.offset_bytes == sim::kPageBytes) {
            std::memset(request.segments[0].data, 0, 4096);
        }
    });
    CHECK(run_bench(run, options).finding_count == 1);
}

TEST_CASE("a log that overtakes its own slow writes at the beginning of the file is not a finding") {
    VirtualRun run(random_disk(7, 10, 3000));
    BenchOptions options = small_bench();
    options.size_bytes = 1 * kMb;
    options.operation = BenchOperation::write;
    options.pattern = BenchPattern::sequential;
    options.block_bytes_min = 4096;
    options.block_bytes_max = 61440;
    options.depth = 64;
    const BenchResults results = run_bench(run, options);
    CHECK(results.requests > 1000);
    CHECK(results.finding_count == 0);
}
