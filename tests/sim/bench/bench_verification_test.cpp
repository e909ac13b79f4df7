// What a measurement verifies, and what it finds, in virtual time on a storage in memory.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "sim/ledger/page_ledger.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/bench/bench_fixture.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::BenchOperation;
using sim::BenchOptions;
using sim::BenchResults;
using ums::kMb;

TEST_CASE("a page that was damaged since is a finding, and so is one that belongs elsewhere") {
    VirtualRun run;
    leave_bench_file(run);
    sim::testing::MemoryFile& file = *run.memory.find(kBenchFile);
    file.chunk(7 * sim::kPageBytes)[1000] ^= std::byte{1};
    std::memcpy(file.chunk(9 * sim::kPageBytes), file.chunk(8 * sim::kPageBytes), sim::kPageBytes);
    const BenchResults results = run_bench(run, small_bench());
    CHECK(results.finding_count == 2);
    std::set<std::uint32_t> pages;
    for (const sim::Finding& finding : run.sink.findings()) pages.insert(finding.place.page_id);
    CHECK(pages == std::set<std::uint32_t>{7, 9});
}

TEST_CASE("a page that comes back wrong during the measurement is a finding") {
    VirtualRun run;
    std::uint64_t reads = 0;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation == ums::IoOperation::read && request.size_bytes == sim::kPageBytes && ++reads == 50) {
            request.segments[0].data[600] ^= std::byte{4};
        }
    });
    const BenchResults results = run_bench(run, small_bench());
    CHECK(results.finding_count == 1);
}

TEST_CASE("an old version of a page, sound in itself, is a finding when it is read back") {
    VirtualRun run;
    leave_bench_file(run);
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    bool is_lost = false;
    const std::uint64_t end_ns = run.clock.now_ns() + ums::kNsPerSecond;
    std::vector<std::byte> old_page(sim::kPageBytes);
    run.memory.find(kBenchFile)->read(5 * sim::kPageBytes, old_page.data(), old_page.size());
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        const bool is_first_range = request.operation == ums::IoOperation::read && request.offset_bytes == 0;
        if (is_first_range && request.size_bytes > sim::kPageBytes && run.clock.now_ns() > end_ns && !is_lost) {
            is_lost = true;
            run.memory.find(kBenchFile)->write(5 * sim::kPageBytes, old_page.data(), old_page.size());
            std::memcpy(request.segments[0].data + 5 * sim::kPageBytes, old_page.data(), old_page.size());
        }
    });
    const BenchResults results = run_bench(run, options);
    REQUIRE(is_lost);
    REQUIRE(results.finding_count == 1);
    CHECK(run.sink.findings().front().kind == sim::FindingKind::lost_write);
}

TEST_CASE("a page whose versions are nearly used up is written like a page of another run") {
    VirtualRun run;
    leave_bench_file(run);
    constexpr std::uint32_t kPage = 5;
    ums::SimulatedFile& file = *run.memory.find(kBenchFile);
    PageBuffer page;
    file.read(kPage * sim::kPageBytes, page.data(), sim::kPageBytes);
    const sim::PageHeader header = sim::read_header(page.data());
    sim::make_page({header.run_id, header.file_id, kPage, sim::kVersionMax - 1, header.lsn, header.write_utc_us}, page.data());
    file.write(kPage * sim::kPageBytes, page.data(), sim::kPageBytes);
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    const BenchResults results = run_bench(run, options);
    INFO(run.sink.text());
    CHECK(results.finding_count == 0);
    CHECK(results.pages_read_back == 4 * kMb / sim::kPageBytes);
    file.read(kPage * sim::kPageBytes, page.data(), sim::kPageBytes);
    CHECK(sim::read_header(page.data()).version < 1000);
}

TEST_CASE("written pages are stamped, entered in the ledger and read back, unless verify = off") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    BenchResults results = run_bench(run, options);
    CHECK(results.finding_count == 0);
    CHECK(results.pages_read_back == 4 * kMb / sim::kPageBytes);
    CHECK(results.requests > 1000);
    options.verify = false;
    results = run_bench(run, options);
    CHECK(results.pages_read_back == 0);
    const auto page = run.memory.find(kBenchFile)->chunk(3 * sim::kPageBytes);
    CHECK(sim::read_header(page).checksum == sim::page_checksum(page));
    CHECK(sim::read_header(page).version > 1);
}

TEST_CASE("reads without verification do not look at the pages") {
    VirtualRun run;
    leave_bench_file(run);
    run.memory.find(kBenchFile)->chunk(7 * sim::kPageBytes)[1000] ^= std::byte{1};
    BenchOptions options = small_bench();
    options.verify = false;
    const BenchResults results = run_bench(run, options);
    CHECK(results.finding_count == 0);
    CHECK(results.pages_verified == 0);
    CHECK(results.requests > 1000);
}

TEST_CASE("a read that fails once is a finding, even without verification") {
    VirtualRun run;
    leave_bench_file(run);
    std::uint64_t reads = 0;
    run.storage.set_fault([&](const Recorded& request) {
        const bool fails = request.of_load && request.operation == ums::IoOperation::read && ++reads == 50;
        return fails ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    BenchOptions options = small_bench();
    options.verify = false;
    const BenchResults results = run_bench(run, options);
    CHECK(results.finding_count == 1);
    CHECK(results.requests > 1000);
    REQUIRE(run.sink.findings().size() == 1);
    CHECK(run.sink.findings()[0].kind == sim::FindingKind::io_error);
    CHECK(run.sink.findings()[0].transient);
}
