// What every engine promises, driven directly.
#include <fcntl.h>
#include <sched.h>

#include <bit>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/engines.hpp"
#include "tests/ums/io/memory.hpp"
#include "tests/ums/io/resource_limit.hpp"
#include "tests/ums/io/temp_folder.hpp"
#include "ums/io/posix_storage.hpp"

using namespace ums;
using namespace ums::test;

namespace {

constexpr std::uint64_t kPage = 8192;

// A new file in a folder of its own, and an engine.
struct Bench {
    explicit Bench(const EngineVariant& variant, EngineOptions options = {}, bool direct = false) : engine(variant.make(options)) {
        OpenOptions open_options;
        open_options.create_new = true;
        open_options.direct = direct;
        REQUIRE(!storage.open(path(), open_options, file));
    }
    ~Bench() { storage.close(file); }

    [[nodiscard]] std::string path() const { return folder.file("data.mdx"); }
    [[nodiscard]] std::uint64_t size_bytes() {
        std::uint64_t size = 0;
        REQUIRE(!storage.size(file, size));
        return size;
    }

    TempFolder folder;
    PosixStorage storage;
    std::unique_ptr<IoEngine> engine;
    FileHandle file;
};

// `memory` in segments of `segment_bytes`, last piece first, so that the order matters.
std::vector<IoSegment> scattered(const Memory& memory, std::size_t segment_bytes) {
    std::vector<IoSegment> segments;
    for (std::size_t end = memory.size_bytes(); end > 0; end -= segment_bytes) {
        segments.push_back({memory.data() + end - segment_bytes, segment_bytes});
    }
    return segments;
}

bool skip_without_direct_io() {
    if (TempFolder().has_direct_io()) return false;
    WARN("no file system for direct I/O here");
    return true;
}

}  // namespace

TEST_CASE("what was written is read back, direct and buffered, single and vectored") {
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

TEST_CASE("the bytes of a gather write stand in the file in the order of its segments") {
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

TEST_CASE("1024 segments go in one request") {
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

TEST_CASE("a durable write is written and complete") {
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

TEST_CASE("a read over the end of the file comes back short, one behind it empty, both without an error") {
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

TEST_CASE("a transfer of no bytes finishes at once") {
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
        for (const IoOperation operation : {IoOperation::read, IoOperation::write, IoOperation::sync, IoOperation::allocate, IoOperation::truncate}) {
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
    SECTION("memory that is not there") {
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
    // tmpfs takes the flag and ignores it.
    if (!request.error) WARN("this file system does direct I/O at any offset");
    CHECK((!request.error || request.error == std::errc::invalid_argument));
}

// A short transfer that the system really makes: the file may grow by two pages and a half.
TEST_CASE("a write that the system cuts short is continued, and the error of the continuation is reported") {
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

TEST_CASE("a write and an allocation that do not fit on the disk say so") {
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

TEST_CASE("wait starts what was queued and ends when it has finished") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    IoRequest sync = make_request(IoOperation::sync, bench.file);
    bench.engine->submit(sync);
    const auto started = std::chrono::steady_clock::now();
    IoRequestList finished;
    while (finished.empty()) {
        bench.engine->wait(10 * kNsPerSecond);
        bench.engine->poll(finished);
    }
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(5));
    finished.pop_front();
}

TEST_CASE("wait ends when its time is over") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    const auto engine = variant.make({});
    const auto started = std::chrono::steady_clock::now();
    engine->wait(30 * kNsPerMs);
    const auto waited = std::chrono::steady_clock::now() - started;
    CHECK(waited >= std::chrono::milliseconds(29));
    CHECK(waited < std::chrono::seconds(5));
    engine->wait(0);
}

TEST_CASE("wake ends a wait that is under way") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    const auto engine = variant.make({});
    for (int round = 0; round < 3; ++round) {
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            engine->wake();
        });
        const auto started = std::chrono::steady_clock::now();
        engine->wait(20 * kNsPerSecond);
        const auto waited = std::chrono::steady_clock::now() - started;
        other.join();
        CHECK(waited >= std::chrono::milliseconds(15));
        CHECK(waited < std::chrono::seconds(10));
    }
}

TEST_CASE("a wake before the wait is not lost, even if finished requests are collected in between") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    const auto started = std::chrono::steady_clock::now();
    bench.engine->wait(0);  // whatever is made on first use is there
    for (int round = 0; round < 3; ++round) {
        bench.engine->wake();
        IoRequestList finished;
        bench.engine->poll(finished);
        bench.engine->wait(20 * kNsPerSecond);
    }
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(10));
    // Nothing is left of them: the next wait sleeps.
    const auto quiet = std::chrono::steady_clock::now();
    bench.engine->wait(30 * kNsPerMs);
    CHECK(std::chrono::steady_clock::now() - quiet >= std::chrono::milliseconds(29));
}

TEST_CASE("an engine may be made on one thread and used on another") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    Bench bench(variant);
    IoRequest sync = make_request(IoOperation::sync, bench.file);
    std::thread owner([&] { finish(*bench.engine, sync); });
    owner.join();
    CHECK(!sync.error);
}

namespace {

// CPUs of the threads of this process whose name begins so, as the kernel writes them.
std::vector<std::string> cpus_of_threads(const std::string& name) {
    std::vector<std::string> lists;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream status(task.path() / "status");
        bool is_wanted = false;
        for (std::string line; std::getline(status, line);) {
            if (line.rfind("Name:", 0) == 0) is_wanted = line.find(name) != std::string::npos;
            if (is_wanted && line.rfind("Cpus_allowed_list:", 0) == 0) lists.push_back(line.substr(line.find('\t') + 1));
        }
    }
    return lists;
}

std::uint64_t own_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    UMS_ASSERT(sched_getaffinity(0, sizeof set, &set) == 0);
    std::uint64_t mask = 0;
    for (unsigned cpu = 0; cpu < 64; ++cpu) mask |= std::uint64_t{CPU_ISSET(cpu, &set) != 0} << cpu;
    return mask;
}

}  // namespace

TEST_CASE("the engine's own threads run on the CPUs of io_affinity") {
    const auto variant = GENERATE(from_range(engine_variants()));
    CAPTURE(variant);
    const std::uint64_t all = own_cpus();
    if (all == 0) return;
    const auto last_cpu = static_cast<unsigned>(63 - std::countl_zero(all));
    EngineOptions options;
    options.io_affinity = std::uint64_t{1} << last_cpu;
    Bench bench(variant, options);
    IoRequest sync = make_request(IoOperation::sync, bench.file);
    finish(*bench.engine, sync);  // needs a thread in every engine
    const std::vector<std::string> lists = cpus_of_threads(bench.engine->name() == "uring" ? "iou-wrk" : "io ");
    CHECK(!lists.empty());
    for (const std::string& list : lists) CHECK(list == std::to_string(last_cpu));
}

TEST_CASE("the pool makes threads when they are needed and not more than the queue depth") {
    EngineOptions options;
    options.queue_depth = 3;
    const auto variant = engine_variants().front();
    Bench bench(variant, options);
    CHECK(cpus_of_threads("io ").empty());
    std::vector<IoRequest> syncs(50, make_request(IoOperation::sync, bench.file));
    for (IoRequest& sync : syncs) bench.engine->submit(sync);
    collect(*bench.engine, 50);
    CHECK(!cpus_of_threads("io ").empty());
    CHECK(cpus_of_threads("io ").size() <= 3);
}
