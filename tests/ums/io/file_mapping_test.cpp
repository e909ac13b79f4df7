// Files as views in memory: a copy reaches the file, memory that cannot be accessed fails the request, and after a write happens what the
// view promises.
#include "ums/io/file_mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/engines.hpp"
#include "tests/ums/io/memory.hpp"
#include "tests/ums/io/temp_folder.hpp"
#include "ums/io/bus_error.hpp"
#include "ums/io/cache_lines.hpp"
#include "ums/io/posix_storage.hpp"

using namespace ums;
using namespace ums::testing;

namespace {

constexpr std::uint64_t kMappedBytes = 256 * 1024;

// Counts calls, and fails on demand.
struct CountedCalls final : MappingCalls {
    struct Range {
        const std::byte* data;
        std::size_t size_bytes;
    };
    int sync(std::byte* data, std::size_t size_bytes) override {
        synced.push_back({data, size_bytes});
        if (interruptions > 0) {
            --interruptions;
            return EINTR;
        }
        return fails_with != 0 ? fails_with : MappingCalls::sync(data, size_bytes);
    }
    void write_back(const std::byte* data, std::size_t size_bytes) override {
        written_back.push_back({data, size_bytes});
        MappingCalls::write_back(data, size_bytes);
    }
    void drain() override {
        ++drained;
        MappingCalls::drain();
    }
    std::vector<Range> synced;
    std::vector<Range> written_back;
    int drained = 0;
    int fails_with = 0;
    int interruptions = 0;  // before that
};

// A file of zeros, opened without a view.
struct PlainFile {
    PlainFile() {
        const OpenOptions options{.create_new = true};
        REQUIRE(!storage.open(folder.file("mapped"), options, file));
        REQUIRE(!storage.truncate(file, kMappedBytes));
    }
    ~PlainFile() { storage.close(file); }
    PlainFile(const PlainFile&) = delete;
    PlainFile& operator=(const PlainFile&) = delete;

    [[nodiscard]] FileHandle view(FileView kind, bool read_only = false) {
        FileHandle opened;
        REQUIRE(!storage.reopen(file, {.read_only = read_only, .view = kind}, opened));
        return opened;
    }
    [[nodiscard]] std::vector<std::byte> bytes(std::uint64_t offset_bytes, std::size_t size_bytes) {
        std::vector<std::byte> read(size_bytes);
        std::size_t transferred = 0;
        REQUIRE(!storage.read(file, offset_bytes, read.data(), size_bytes, transferred));
        REQUIRE(transferred == size_bytes);
        return read;
    }

    TempFolder folder;
    PosixStorage storage;
    FileHandle file;
};

IoRequest mapped_request(IoOperation operation, std::uint64_t offset_bytes, const std::vector<IoSegment>& segments) {
    return make_request(operation, FileHandle{}, offset_bytes, segments);
}

std::unique_ptr<FileMapping> counted_mapping(PlainFile& plain, FileView view, CountedCalls& calls) {
    std::unique_ptr<FileMapping> mapping;
    REQUIRE(!FileMapping::map(plain.file, view, true, mapping, &calls));
    return mapping;
}

bool is_mapped_here(const std::string& path) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with(path)) return true;
    }
    return false;
}

std::atomic<bool> was_handled_by_another{false};

}  // namespace

TEST_CASE("what is written through a view reaches the file, and a read through it returns what the file holds") {
    PlainFile plain;
    const FileHandle file = plain.view(FileView::mapped);
    REQUIRE(file.mapping != nullptr);
    CHECK(is_mapped_here(plain.folder.file("mapped")));
    const Memory written(24576);
    written.fill(1);
    // Two pieces of memory that are not adjacent.
    const std::vector<IoSegment> pieces{{written.data() + 16384, 8192}, {written.data(), 8192}};
    IoRequest write = mapped_request(IoOperation::write, 12288, pieces);
    file.mapping->perform(write);
    REQUIRE(write.is_complete_transfer());
    const std::vector<std::byte> there = plain.bytes(12288, 16384);
    CHECK(std::memcmp(there.data(), written.data() + 16384, 8192) == 0);
    CHECK(std::memcmp(there.data() + 8192, written.data(), 8192) == 0);
    CHECK(plain.bytes(12287, 1)[0] == std::byte{0});
    CHECK(plain.bytes(12288 + 16384, 1)[0] == std::byte{0});
    // Written by a system call, read through the view.
    const std::vector<IoSegment> source{{written.data(), 8192}};
    IoRequest by_call = make_request(IoOperation::write, plain.file, 65536, source);
    std::string reason;
    finish(*plain.storage.make_engine({.kind = EngineKind::threads}, reason), by_call);
    const Memory read(8192);
    const std::vector<IoSegment> target{{read.data(), 8192}};
    IoRequest back = mapped_request(IoOperation::read, 65536, target);
    file.mapping->perform(back);
    REQUIRE(back.is_complete_transfer());
    CHECK(std::memcmp(read.data(), written.data(), 8192) == 0);
    plain.storage.close(file);
    CHECK_FALSE(is_mapped_here(plain.folder.file("mapped")));
}

TEST_CASE("a view ends where the file ends, and a read-only view refuses writes") {
    PlainFile plain;
    const FileHandle file = plain.view(FileView::mapped, true);
    const Memory memory(8192);
    const std::vector<IoSegment> target{{memory.data(), 8192}};
    IoRequest half = mapped_request(IoOperation::read, kMappedBytes - 4096, target);
    file.mapping->perform(half);
    CHECK(!half.error);
    CHECK(half.transferred_bytes == 4096);
    IoRequest beyond = mapped_request(IoOperation::read, kMappedBytes + 4096, target);
    file.mapping->perform(beyond);
    CHECK(!beyond.error);
    CHECK(beyond.transferred_bytes == 0);
    IoRequest write = mapped_request(IoOperation::write, 0, target);
    file.mapping->perform(write);
    CHECK(write.error == std::errc::bad_file_descriptor);
    plain.storage.close(file);
    FileHandle refused;
    CHECK(plain.storage.reopen(plain.file, {.direct = true, .view = FileView::mapped}, refused) == std::errc::invalid_argument);
    CHECK_FALSE(refused.is_open());
}

TEST_CASE("the view of an empty file is empty") {
    PlainFile plain;
    REQUIRE(!plain.storage.truncate(plain.file, 0));
    const FileHandle file = plain.view(FileView::synced);
    const Memory memory(4096);
    const std::vector<IoSegment> target{{memory.data(), 4096}};
    IoRequest write = mapped_request(IoOperation::write, 0, target);
    file.mapping->perform(write);
    CHECK(!write.error);
    CHECK(write.transferred_bytes == 0);
    plain.storage.close(file);
}

TEST_CASE("requests on a mapped file that was truncated come back short, and are complete again once it has grown") {
    PlainFile plain;
    const auto operation = GENERATE(IoOperation::read, IoOperation::write);
    const FileHandle file = plain.view(FileView::mapped);
    const Memory memory(16384);
    const std::vector<IoSegment> segments{{memory.data(), 8192}, {memory.data() + 8192, 8192}};
    REQUIRE(!plain.storage.truncate(plain.file, 8192));
    for (int i = 0; i < 3; ++i) {
        IoRequest cut = mapped_request(operation, 0, segments);
        file.mapping->perform(cut);
        CHECK(!cut.error);
        CHECK(cut.transferred_bytes == 8192);
    }
    REQUIRE(!plain.storage.truncate(plain.file, kMappedBytes));
    IoRequest whole = mapped_request(operation, 0, segments);
    file.mapping->perform(whole);
    CHECK(whole.is_complete_transfer());
    plain.storage.close(file);
}

TEST_CASE("if there is no space for a page, the request that writes it fails for that reason") {
    const std::string said = in_child_process([]() -> std::string {
        const TempFolder folder;
        if (!mount_privately("tmpfs", folder.path(), "size=64k")) return "not mounted";
        PosixStorage storage;
        FileHandle plain;
        FileHandle file;
        if (storage.open(folder.file("full"), {.create_new = true}, plain)) return "not opened";
        if (storage.truncate(plain, kMappedBytes)) return "not made";
        if (storage.reopen(plain, {.view = FileView::mapped}, file)) return "not mapped";
        const Memory memory(kMappedBytes);
        const std::vector<IoSegment> segments{{memory.data(), kMappedBytes}};
        IoRequest write = mapped_request(IoOperation::write, 0, segments);
        file.mapping->perform(write);
        storage.close(file);
        storage.close(plain);
        return write.transferred_bytes == 0 ? write.error.message() : "transferred";
    });
    if (said == "not mounted") WARN("not tested: no file system can be mounted here");
    if (said != "not mounted") CHECK(said == std::make_error_code(std::errc::no_space_on_device).message());
}

TEST_CASE("each view makes writes as durable as it promises, and leaves reads alone") {
    PlainFile plain;
    CountedCalls calls;
    const auto view = GENERATE(FileView::mapped, FileView::synced, FileView::lines_written, FileView::lines_started);
    if (line_write_back_name().empty() && view > FileView::synced) return;
    const auto mapping = counted_mapping(plain, view, calls);
    const Memory memory(8192);
    memory.fill(2);
    const std::vector<IoSegment> segments{{memory.data(), 8192}};
    IoRequest read = mapped_request(IoOperation::read, 8192, segments);
    mapping->perform(read);
    CHECK(calls.synced.size() + calls.written_back.size() + static_cast<std::size_t>(calls.drained) == 0);
    IoRequest write = mapped_request(IoOperation::write, 8192 + 512, segments);
    mapping->perform(write);
    REQUIRE(write.is_complete_transfer());
    CHECK(calls.synced.size() == (view == FileView::synced ? 1 : 0));
    CHECK(calls.written_back.size() == (view > FileView::synced ? 1 : 0));
    CHECK(calls.drained == (view == FileView::lines_written ? 1 : 0));
    // msync takes whole pages: from the beginning of the one in which the write begins.
    for (const CountedCalls::Range& range : calls.synced) {
        CHECK(range.size_bytes == 8192 + 512);
        CHECK(reinterpret_cast<std::uintptr_t>(range.data) % 4096 == 0);
    }
    for (const CountedCalls::Range& range : calls.written_back) CHECK(range.size_bytes == 8192);
    CHECK(plain.bytes(8192 + 512, 1)[0] == memory.data()[0]);
}

TEST_CASE("a durable write through a view is synced whatever the view, and a failed sync fails the request") {
    PlainFile plain;
    CountedCalls calls;
    const auto mapping = counted_mapping(plain, FileView::mapped, calls);
    const Memory memory(4096);
    const std::vector<IoSegment> segments{{memory.data(), 4096}};
    IoRequest write = mapped_request(IoOperation::write, 4096, segments);
    write.durable = true;
    mapping->perform(write);
    CHECK(write.is_complete_transfer());
    CHECK(calls.synced.size() == 1);
    calls.fails_with = EIO;
    write.reset();
    mapping->perform(write);
    CHECK(write.error == std::errc::io_error);
}

TEST_CASE("an interrupted sync of a view is repeated") {
    PlainFile plain;
    CountedCalls calls;
    calls.interruptions = 2;
    const auto mapping = counted_mapping(plain, FileView::synced, calls);
    const Memory memory(4096);
    const std::vector<IoSegment> segments{{memory.data(), 4096}};
    IoRequest write = mapped_request(IoOperation::write, 0, segments);
    mapping->perform(write);
    CHECK(write.is_complete_transfer());
    CHECK(calls.synced.size() == 3);
}

TEST_CASE("an engine with views copies immediately, and leaves other files to its inner engine") {
    PlainFile plain;
    std::string reason;
    const auto engine = plain.storage.make_engine({.kind = EngineKind::threads, .has_views = true}, reason);
    CHECK(engine->name() == "threads");
    const FileHandle file = plain.view(FileView::mapped);
    const Memory memory(4096);
    memory.fill(3);
    const std::vector<IoSegment> segments{{memory.data(), 4096}};
    IoRequest mapped = make_request(IoOperation::write, file, 0, segments);
    IoRequest called = make_request(IoOperation::write, plain.file, 4096, segments);
    IoRequest sync = make_request(IoOperation::sync, file);
    engine->submit(mapped);
    CHECK(engine->in_flight() == 1);
    CHECK(plain.bytes(0, 1)[0] == memory.data()[0]);  // before any poll
    engine->wait(kWaitNsMax);                         // does not sleep: there is something to collect
    engine->submit(called);
    engine->submit(sync);
    CHECK(engine->in_flight() == 3);
    collect(*engine, 3);
    CHECK(engine->in_flight() == 0);
    CHECK(mapped.is_complete_transfer());
    CHECK(called.is_complete_transfer());
    CHECK(!sync.error);
    CHECK(plain.bytes(4096, 1)[0] == memory.data()[0]);
    mapped.reset();
    CHECK(engine->perform_immediately(mapped));
    CHECK(mapped.is_complete_transfer());
    CHECK_FALSE(engine->perform_immediately(called));
    plain.storage.close(file);
}

TEST_CASE("accessing memory of a truncated file outside of touch() ends the process, as before") {
    PlainFile plain;
    const std::string said = in_child_process([&]() -> std::string {
        expect_bus_errors();
        const auto* const data = static_cast<const std::byte*>(::mmap(nullptr, 8192, PROT_READ, MAP_SHARED, plain.file.value, 0));
        if (::ftruncate(plain.file.value, 0) != 0) return "not cut";
        std::byte byte{};
        const auto look = [&] { std::memcpy(&byte, data + 4096, 1); };
        if (touch(data, 8192, look)) return "read";
        // Outside of the range given to touch().
        return touch(data, 4096, look) ? "read" : "caught";
    });
    CHECK(said == "died");
}

TEST_CASE("an unexpected SIGBUS goes to the previous handler") {
    const std::string said = in_child_process([]() -> std::string {
        struct sigaction before {};
        ::sigaction(SIGBUS, nullptr, &before);
        if (before.sa_handler != SIG_DFL) return "taken";  // by another test of this process, or a sanitizer
        struct sigaction action {};
        action.sa_handler = [](int) { was_handled_by_another = true; };
        ::sigaction(SIGBUS, &action, nullptr);
        expect_bus_errors();
        ::raise(SIGBUS);
        return was_handled_by_another ? "handled" : "lost";
    });
    CHECK((said == "handled" || said == "taken"));
}
