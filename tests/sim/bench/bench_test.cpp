// Measurements in virtual time on a storage in memory: what each option changes, what is verified, and which files are touched.
#include "sim/bench/bench.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"
#include "ums/io/posix_storage.hpp"

using namespace sim::testing;
using sim::Bench;
using sim::BenchOperation;
using sim::BenchOptions;
using sim::BenchPattern;
using sim::BenchResults;

namespace {

using ums::kMb;
const std::string kBenchFile = "/memory/bench.mdx";

BenchOptions small_bench() {
    BenchOptions options;
    options.files = {kBenchFile};
    options.size_bytes = 4 * kMb;
    options.depth = 4;
    options.seconds = 1;
    return options;
}

BenchResults run_bench(VirtualRun& run, const BenchOptions& options) { return Bench(options, run.storage, run.clock, run.sink).run(); }

// The requests of the measurement, known by a size that neither filling nor reading back uses.
std::vector<Recorded> of_size(const VirtualRun& run, ums::IoOperation operation, std::uint64_t size_bytes) {
    return run.storage.select(
        [&](const Recorded& request) { return request.of_load && request.operation == operation && request.size_bytes == size_bytes; });
}

// A measurement that leaves the file behind.
void make_file(VirtualRun& run) { run_bench(run, small_bench()); }

}  // namespace

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
    make_file(run);
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

TEST_CASE("a page that was damaged since is a finding, and so is one that belongs elsewhere") {
    VirtualRun run;
    make_file(run);
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
    make_file(run);
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
    make_file(run);
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
    make_file(run);
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

TEST_CASE("a file that is smaller than requested is refused, a larger one is used in part") {
    VirtualRun run;
    make_file(run);
    BenchOptions options = small_bench();
    options.size_bytes = 8 * kMb;
    CHECK_THROWS_WITH(run_bench(run, options), ContainsSubstring("less than the 8 MB asked for"));
    options.size_bytes = 1 * kMb;
    const std::size_t before = run.storage.requests().size();
    run_bench(run, options);
    for (std::size_t i = before; i < run.storage.requests().size(); ++i) CHECK(run.storage.requests()[i].offset_bytes < 1 * kMb);
}

TEST_CASE("a block that does not fit into the used part of a file is refused") {
    VirtualRun run;
    BenchOptions options = small_bench();
    options.size_bytes = 1 * kMb;
    SECTION("of pages") {
        options.block_bytes_min = options.block_bytes_max = 2 * kMb;
        CHECK_THROWS_WITH(run_bench(run, options), ContainsSubstring("does not fit into 1 MB"));
        CHECK(run.memory.find(kBenchFile) == nullptr);
        make_file(run);  // of 4 MB
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

TEST_CASE("the null file needs no storage") {
    ums::PosixStorage storage;
    ums::RealClock clock;
    CollectingSink sink;
    BenchOptions options;
    options.files = {sim::kNullFile};
    options.seconds = 1;
    SECTION("reads are just requests") {
        options.verify = false;
        const BenchResults results = Bench(options, storage, clock, sink).run();
        CHECK(results.engine == "null");
        CHECK(results.requests > 10'000);
    }
    SECTION("writes prepare pages, and there is nothing to read back") {
        options.operation = BenchOperation::write;
        const BenchResults results = Bench(options, storage, clock, sink).run();
        CHECK(results.requests > 1000);
        CHECK(results.pages_read_back == 0);
    }
}
