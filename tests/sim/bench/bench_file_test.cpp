// Which files a measurement creates, uses as they are, or refuses.
#include "sim/bench/bench_file.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

#include "sim/limits.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/bench/bench_fixture.hpp"
#include "tests/sim/support/large_sectors.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::BenchOperation;
using sim::BenchOptions;
using sim::BenchPattern;
using sim::BenchResults;
using ums::kMb;

TEST_CASE("a missing file is created and filled with pages, and every page that is read is verified") {
    VirtualRun run;
    const BenchResults results = run_bench(run, small_bench());
    CHECK(results.finding_count == 0);
    CHECK(results.failure_reason.empty());
    CHECK(results.requests > 1000);
    CHECK(results.bytes == results.requests * sim::kPageBytes);
    CHECK(results.pages_verified == results.requests);
    CHECK(run.memory.find(kBenchFile)->size_bytes() == 4 * kMb);
    CHECK(run.memory.find(kBenchFile)->stored_bytes() == 4 * kMb);
    CHECK(run.storage.overlaps().empty());
    CHECK(run.memory.open_count() == 0);
}

TEST_CASE("a file that was left behind is read as it is, and not changed") {
    VirtualRun run;
    leave_bench_file(run);
    std::vector<std::byte> before(4 * kMb);
    run.memory.find(kBenchFile)->read(0, before.data(), before.size());
    BenchOptions options = small_bench();
    options.size_bytes = 0;
    const BenchResults results = run_bench(run, options);
    CHECK(results.finding_count == 0);
    CHECK(results.pages_verified == results.requests);
    std::vector<std::byte> after(4 * kMb);
    run.memory.find(kBenchFile)->read(0, after.data(), after.size());
    CHECK(before == after);
}

TEST_CASE("the files of a run are read and verified") {
    VirtualRun run;
    sim::Options run_options = busy_options(VirtualRun::kFolder);
    run.run(run_options);
    BenchOptions options = small_bench();
    options.files = {run_options.files[0].path};
    options.size_bytes = 0;
    const BenchResults results = run_bench(run, options);
    CHECK(results.finding_count == 0);
    CHECK(results.pages_verified > 0);
    options.files = {run_options.files[1].path};
    CHECK_THROWS_WITH(run_bench(run, options), ContainsSubstring("is a log file"));
}

TEST_CASE("a foreign file is refused and left as it is, and files created before it are removed") {
    VirtualRun run;
    ums::FileHandle foreign;
    REQUIRE(!run.memory.open("/memory/foreign.mdx", {.create_new = true}, foreign));
    REQUIRE(!run.memory.truncate(foreign, 8 * kMb));
    const std::vector<std::byte> bytes(64, std::byte{'F'});
    run.memory.find("/memory/foreign.mdx")->write(0, bytes.data(), bytes.size());
    run.memory.close(foreign);
    BenchOptions options = small_bench();
    options.files = {kBenchFile, "/memory/foreign.mdx"};
    options.operation = GENERATE(BenchOperation::read, BenchOperation::write);
    CHECK_THROWS_AS(run_bench(run, options), sim::RefusedError);
    CHECK(run.memory.find(kBenchFile) == nullptr);
    std::vector<std::byte> now(64);
    run.memory.find("/memory/foreign.mdx")->read(0, now.data(), now.size());
    CHECK(now == bytes);
    CHECK(run.memory.open_count() == 0);
}

TEST_CASE("a file whose first page has a number that no file has is refused") {
    VirtualRun run;
    leave_bench_file(run);
    ums::SimulatedFile& file = *run.memory.find(kBenchFile);
    PageBuffer page;
    file.read(0, page.data(), sim::kPageBytes);
    sim::PageHeader header = sim::read_header(page.data());
    header.file_id = sim::kFilesMax + 1;
    std::memcpy(page.data(), &header, sizeof header);
    header.checksum = sim::page_checksum(page.data());
    std::memcpy(page.data(), &header, sizeof header);
    file.write(0, page.data(), sim::kPageBytes);
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    CHECK_THROWS_WITH(run_bench(run, options), ContainsSubstring("file 4096"));
    CHECK(run.memory.open_count() == 0);
}

TEST_CASE("a file that is smaller than requested is refused, a larger one is used in part") {
    VirtualRun run;
    leave_bench_file(run);
    BenchOptions options = small_bench();
    options.size_bytes = 8 * kMb;
    CHECK_THROWS_WITH(run_bench(run, options), ContainsSubstring("less than the 8 MB asked for"));
    options.size_bytes = 1 * kMb;
    const std::size_t before = run.storage.requests().size();
    run_bench(run, options);
    for (std::size_t i = before; i < run.storage.requests().size(); ++i) CHECK(run.storage.requests()[i].offset_bytes < 1 * kMb);
}

TEST_CASE("log blocks in parts of a sector are refused before the disk refuses them, unless they are buffered") {
    VirtualRun run;
    LargeSectors disk(run.storage);
    BenchOptions options = small_bench();
    options.operation = BenchOperation::write;
    options.pattern = BenchPattern::sequential;
    options.block_bytes_min = 512;
    options.block_bytes_max = 61440;
    CHECK_THROWS_WITH(sim::Bench(options, disk, run.clock, run.sink).run(), ContainsSubstring("has sectors of 4096 bytes"));
    CHECK(run.memory.find(kBenchFile) == nullptr);
    options.direct = false;
    CHECK(sim::Bench(options, disk, run.clock, run.sink).run().finding_count == 0);
    options.direct = true;
    options.block_bytes_min = 4096;
    CHECK(sim::Bench(options, disk, run.clock, run.sink).run().finding_count == 0);
}

TEST_CASE("a block that does not fit into the used part of a file is refused") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.size_bytes = 1 * kMb;
    SECTION("of pages") {
        options.block_bytes_min = options.block_bytes_max = 2 * kMb;
        CHECK_THROWS_WITH(run_bench(run, options), ContainsSubstring("does not fit into 1 MB"));
        CHECK(run.memory.find(kBenchFile) == nullptr);
        leave_bench_file(run);  // of 4 MB
        CHECK_THROWS_WITH(run_bench(run, options), ContainsSubstring("does not fit into 1 MB"));
    }
    SECTION("of a log") {
        options.operation = BenchOperation::write;
        options.pattern = BenchPattern::sequential;
        options.block_bytes_min = 4096;
        options.block_bytes_max = 1 * kMb;
        CHECK_THROWS_WITH(run_bench(run, options), ContainsSubstring("whose first page is the signature"));
        options.block_bytes_max = 1 * kMb - sim::kPageBytes;
        CHECK(run_bench(run, options).finding_count == 0);
    }
}
