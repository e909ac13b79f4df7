// What every engine promises about transfers, driven directly.
#include <fcntl.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/engine_bench.hpp"
#include "tests/ums/io/resource_limit.hpp"

using namespace ums;
using namespace ums::testing;

namespace {

bool skip_without_direct_io() {
    if (TempFolder().has_direct_io()) return false;
    WARN("no file system for direct I/O here");
    return true;
}

}  // namespace

TEST_CASE("written bytes are read back, direct and buffered, single and vectored") {
    const auto variant = GENERATE(from_range(engine_variants()));
    const bool direct = GENERATE(false, true);
    const std::size_t segment_bytes = GENERATE(std::size_t{64} * kPage, std::size_t{kPage});
    CAPTURE(variant, direct, segment_bytes);
    if (direct && skip_without_direct_io()) return;
    Bench bench(variant, {}, direct);
    const Memory written(64 * kPage);
    const Memory read(64 * kPage);
    written.fill(1);
    const std::vector<IoSegment> sources = scattered(written, segment_bytes);
    const std::vector<IoSegment> targets = scattered(read, segment_bytes);

    IoRequest write = make_request(IoOperation::write, bench.file, 3 * kPage, sources);
    finish(*bench.engine, write);
    CHECK(write.is_complete_transfer());
    CHECK(bench.size_bytes() == 67 * kPage);

    IoRequest back = make_request(IoOperation::read, bench.file, 3 * kPage, targets);
    finish(*bench.engine, back);
    CHECK(back.is_complete_transfer());
    CHECK(read.equals(written));
    CHECK(bench.engine->in_flight() == 0);
}

TEST_CASE("a gather write puts its bytes into the file in the order of its segments") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    std::string parts[] = {"first ", "second ", "third"};
    std::vector<IoSegment> segments;
    for (std::string& part : parts) segments.push_back({reinterpret_cast<std::byte*>(part.data()), part.size()});
    IoRequest write = make_request(IoOperation::write, bench.file, 0, segments);
    finish(*bench.engine, write);
    CHECK(write.is_complete_transfer());
    std::string line;
    std::getline(std::ifstream(bench.path()), line);
    CHECK(line == "first second third");
}

TEST_CASE("1024 segments fit into one request") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    if (skip_without_direct_io()) return;
    Bench bench(variant, {}, true);
    const Memory written(kSegmentsMax * kPage);
    const Memory read(kSegmentsMax * kPage);
    written.fill(2);
    const std::vector<IoSegment> sources = scattered(written, kPage);
    const std::vector<IoSegment> targets = scattered(read, kPage);
    IoRequest write = make_request(IoOperation::write, bench.file, 0, sources);
    finish(*bench.engine, write);
    CHECK(write.is_complete_transfer());
    IoRequest back = make_request(IoOperation::read, bench.file, 0, targets);
    finish(*bench.engine, back);
    CHECK(back.is_complete_transfer());
    CHECK(read.equals(written));
}

TEST_CASE("a durable write is written completely") {
    const auto variant = GENERATE(from_range(engine_variants()));
    const std::size_t segment_bytes = GENERATE(std::size_t{8} * kPage, std::size_t{kPage});
    CAPTURE(variant, segment_bytes);
    Bench bench(variant);
    const Memory written(8 * kPage);
    const Memory read(8 * kPage);
    written.fill(3);
    const std::vector<IoSegment> sources = scattered(written, segment_bytes);
    const std::vector<IoSegment> targets = scattered(read, segment_bytes);
    IoRequest write = make_request(IoOperation::write, bench.file, 0, sources);
    write.durable = true;
    finish(*bench.engine, write);
    CHECK(write.is_complete_transfer());
    IoRequest back = make_request(IoOperation::read, bench.file, 0, targets);
    finish(*bench.engine, back);
    CHECK(read.equals(written));
}

TEST_CASE("a read across the end of the file comes back short, one beyond it empty, both without an error") {
    const auto variant = GENERATE(from_range(engine_variants()));
    const bool direct = GENERATE(false, true);
    const std::uint64_t file_bytes = GENERATE(2 * kPage, 2 * kPage + 4096, 2 * kPage + 100);
    CAPTURE(variant, direct, file_bytes);
    if (direct && skip_without_direct_io()) return;
    Bench bench(variant, {}, direct);
    REQUIRE(!bench.storage.truncate(bench.file, file_bytes));
    const Memory memory(4 * kPage);
    const std::vector<IoSegment> segments = scattered(memory, GENERATE(std::size_t{kPage}, std::size_t{4} * kPage));

    IoRequest over = make_request(IoOperation::read, bench.file, kPage, segments);
    finish(*bench.engine, over);
    CHECK(!over.error);
    CHECK(over.transferred_bytes == file_bytes - kPage);
    CHECK_FALSE(over.is_complete_transfer());

    IoRequest behind = make_request(IoOperation::read, bench.file, 8 * kPage, segments);
    finish(*bench.engine, behind);
    CHECK(!behind.error);
    CHECK(behind.transferred_bytes == 0);
}

TEST_CASE("a transfer of zero bytes finishes immediately") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    IoRequest nothing = make_request(IoOperation::write, bench.file);
    bench.engine->submit(nothing);
    CHECK(bench.engine->in_flight() == 1);
    bench.engine->wait(kNever);
    collect(*bench.engine, 1);
    CHECK(nothing.is_complete_transfer());
}

TEST_CASE("the system's errors come back with the request") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    const Memory memory(kPage);
    const std::vector<IoSegment> segments{{memory.data(), kPage}};

    SECTION("a handle that is not open") {
        for (const IoOperation operation :
             {IoOperation::read, IoOperation::write, IoOperation::sync, IoOperation::allocate, IoOperation::truncate}) {
            IoRequest request = make_request(operation, FileHandle{9999}, 0, segments);
            finish(*bench.engine, request);
            CHECK(request.error == std::errc::bad_file_descriptor);
            CHECK(request.transferred_bytes == 0);
        }
    }
    SECTION("a handle that is open for reading only") {
        OpenOptions options;
        options.read_only = true;
        FileHandle reader;
        REQUIRE(!bench.storage.open(bench.path(), options, reader));
        IoRequest request = make_request(IoOperation::write, reader, 0, segments);
        finish(*bench.engine, request);
        CHECK(request.error == std::errc::bad_file_descriptor);
        bench.storage.close(reader);
    }
    SECTION("no space") {
        FileHandle full{open("/dev/full", O_RDWR | O_CLOEXEC)};
        REQUIRE(full.is_open());
        IoRequest request = make_request(IoOperation::write, full, 0, segments);
        finish(*bench.engine, request);
        CHECK(request.error == std::errc::no_space_on_device);
        bench.storage.close(full);
    }
    SECTION("memory that is not mapped") {
        const std::vector<IoSegment> bad{{nullptr, kPage}};
        REQUIRE(!bench.storage.truncate(bench.file, kPage));
        IoRequest request = make_request(IoOperation::read, bench.file, 0, bad);
        finish(*bench.engine, request);
        CHECK(request.error == std::errc::bad_address);
    }
}

TEST_CASE("direct I/O at an odd offset is an error of the first call, not a short transfer") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    if (skip_without_direct_io()) return;
    Bench bench(variant, {}, true);
    REQUIRE(!bench.storage.truncate(bench.file, 4 * kPage));
    const Memory memory(kPage);
    const std::vector<IoSegment> segments{{memory.data(), kPage}};
    IoRequest request = make_request(IoOperation::write, bench.file, 100, segments);
    finish(*bench.engine, request);
    // tmpfs accepts the flag and ignores it.
    if (!request.error) WARN("this file system does direct I/O at any offset");
    CHECK((!request.error || request.error == std::errc::invalid_argument));
}

// A real short transfer by the system: the file may grow by two and a half pages.
TEST_CASE("a write that the system cuts short is continued, and an error of the continuation is reported") {
    const auto variant = GENERATE(from_range(engine_variants()));
    const std::size_t segment_bytes = GENERATE(std::size_t{4} * kPage, std::size_t{kPage});
    CAPTURE(variant, segment_bytes);
    Bench bench(variant);
    const Memory memory(4 * kPage);
    memory.fill(4);
    const std::vector<IoSegment> segments = scattered(memory, segment_bytes);
    IoRequest request = make_request(IoOperation::write, bench.file, 0, segments);
    {
        const ResourceLimit limit(RLIMIT_FSIZE, 2 * kPage + kPage / 2);
        finish(*bench.engine, request);
    }
    CHECK(request.error == std::errc::file_too_large);
    CHECK(request.transferred_bytes == 2 * kPage + kPage / 2);
    CHECK(bench.size_bytes() == 2 * kPage + kPage / 2);
}

TEST_CASE("a write and an allocation that do not fit on the disk report it") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    const TempFolder folder;
    const std::string report = in_child_process([&]() -> std::string {
        if (!mount_privately("tmpfs", folder.path(), "size=64k")) return "cannot mount";
        PosixStorage storage;
        OpenOptions options;
        options.create_new = true;
        FileHandle file;
        if (storage.open(folder.file("data.mdx"), options, file)) return "cannot create";
        const auto engine = variant.make({});
        IoRequest allocate = make_request(IoOperation::allocate, file, 0, 1 << 20);
        finish(*engine, allocate);
        const Memory memory(16 * kPage);
        const std::vector<IoSegment> segments = scattered(memory, kPage);
        IoRequest write = make_request(IoOperation::write, file, 0, segments);
        finish(*engine, write);
        const bool are_both_no_space = allocate.error == std::errc::no_space_on_device && write.error == std::errc::no_space_on_device;
        return (are_both_no_space ? "no space, " : "something else, ") + std::to_string(write.transferred_bytes);
    });
    if (report == "cannot mount") {
        WARN("this user may not mount a file system");
        return;
    }
    CHECK(report == "no space, 65536");
}

TEST_CASE("allocate, truncate and sync do what they say") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);

    IoRequest allocate = make_request(IoOperation::allocate, bench.file, 4 * kPage, 12 * kPage);
    finish(*bench.engine, allocate);
    if (allocate.error == std::errc::operation_not_supported) {
        WARN("this file system cannot reserve space");
        REQUIRE(!bench.storage.truncate(bench.file, 16 * kPage));
    } else {
        CHECK(!allocate.error);
    }
    CHECK(bench.size_bytes() == 16 * kPage);

    IoRequest truncate = make_request(IoOperation::truncate, bench.file, 5 * kPage);
    finish(*bench.engine, truncate);
    CHECK(!truncate.error);
    CHECK(bench.size_bytes() == 5 * kPage);

    IoRequest sync = make_request(IoOperation::sync, bench.file);
    finish(*bench.engine, sync);
    CHECK(!sync.error);
}

TEST_CASE("more requests than the queue depth all come back, whatever the depth") {
    const auto variant = GENERATE(from_range(engine_variants()));
    const std::uint32_t depth = GENERATE(1U, 3U, 1024U);
    CAPTURE(variant, depth);
    constexpr std::uint32_t kCount = 700;  // more than a whole submission queue
    EngineOptions options;
    options.queue_depth = depth;
    Bench bench(variant, options);
    const Memory written(kCount * 512);
    const Memory read(kCount * 512);
    written.fill(5);
    for (const IoOperation operation : {IoOperation::write, IoOperation::read}) {
        const Memory& memory = operation == IoOperation::write ? written : read;
        std::vector<IoSegment> segments(kCount);
        std::vector<IoRequest> requests(kCount);
        for (std::uint32_t i = 0; i < kCount; ++i) {
            segments[i] = {memory.data() + i * 512, 512};
            requests[i] = make_request(operation, bench.file, i * 512, 512);
            requests[i].segments = &segments[i];
            requests[i].segment_count = 1;
            bench.engine->submit(requests[i]);
        }
        CHECK(bench.engine->in_flight() == kCount);
        collect(*bench.engine, kCount);
        CHECK(bench.engine->in_flight() == 0);
        for (const IoRequest& request : requests) CHECK(request.is_complete_transfer());
    }
    CHECK(read.equals(written));
}
