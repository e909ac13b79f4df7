#include "ums/io/posix_storage.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/engines.hpp"
#include "tests/ums/io/memory.hpp"
#include "tests/ums/io/temp_folder.hpp"

using namespace ums;
using namespace ums::testing;

namespace {

struct Files {
    FileHandle open(const std::string& name, OpenOptions options = {}) {
        FileHandle file;
        const std::error_code error = storage.open(folder.file(name), options, file);
        INFO(error.message());
        REQUIRE(!error);
        return file;
    }
    FileHandle create(const std::string& name) {
        OpenOptions options;
        options.create_new = true;
        return open(name, options);
    }
    TempFolder folder;
    PosixStorage storage;
};

int flags_of(FileHandle file) { return fcntl(file.value, F_GETFL); }

}  // namespace

TEST_CASE("status tells kinds of files apart, and a missing file is no error") {
    Files files;
    FileStatus status;
    REQUIRE(!files.storage.status(files.folder.file("missing"), status));
    CHECK(status.kind == FileKind::missing);
    REQUIRE(!files.storage.status(files.folder.path(), status));
    CHECK(status.kind == FileKind::directory);
    REQUIRE(!files.storage.status("/dev/null", status));
    CHECK(status.kind == FileKind::other);
    std::ofstream(files.folder.file("data")) << "12345" << std::flush;
    REQUIRE(!files.storage.status(files.folder.file("data"), status));
    CHECK(status.kind == FileKind::regular);
    CHECK(status.size_bytes == 5);
    CHECK(files.storage.status(files.folder.file("data/below"), status) == std::errc::not_a_directory);
}

TEST_CASE("two names of one file have the same identity, two files do not") {
    Files files;
    for (const char* name : {"a", "b"}) std::ofstream(files.folder.file(name)) << "x";
    std::filesystem::create_symlink(files.folder.file("a"), files.folder.file("symbolic"));
    std::filesystem::create_hard_link(files.folder.file("a"), files.folder.file("hard"));
    const auto identity = [&](const std::string& name) {
        FileStatus status;
        REQUIRE(!files.storage.status(files.folder.file(name), status));
        return std::pair(status.device_id, status.inode);
    };
    CHECK(identity("symbolic") != identity("a"));  // that of the link itself
    CHECK(identity("hard") == identity("a"));
    CHECK(identity("b") != identity("a"));
}

TEST_CASE("create_new creates a file once and never touches an existing one") {
    Files files;
    const bool direct = GENERATE(false, true);
    if (direct && !files.folder.has_direct_io()) return;
    OpenOptions options;
    options.create_new = true;
    options.direct = direct;
    std::ofstream(files.folder.file("theirs")) << "precious" << std::flush;
    FileHandle file;
    CHECK(files.storage.open(files.folder.file("theirs"), options, file) == std::errc::file_exists);
    CHECK_FALSE(file.is_open());
    CHECK(std::filesystem::file_size(files.folder.file("theirs")) == 8);
    std::filesystem::create_symlink(files.folder.file("nowhere"), files.folder.file("dangling"));
    CHECK(files.storage.open(files.folder.file("dangling"), options, file) == std::errc::file_exists);

    REQUIRE(!files.storage.open(files.folder.file("ours"), options, file));
    CHECK(file.is_open());
    files.storage.close(file);
    CHECK(files.storage.open(files.folder.file("no folder/x"), options, file) == std::errc::no_such_file_or_directory);
    CHECK(files.storage.open(files.folder.file("missing"), {}, file) == std::errc::no_such_file_or_directory);
}

TEST_CASE("a file that is created with first bytes never has its name without them, and an existing one is not touched") {
    Files files;
    const std::string path = files.folder.file("filled");
    const int unnamed = ::open(files.folder.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed < 0) return;  // this file system creates no files without a name
    ::close(unnamed);
    const std::string text(8192, 'x');
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
    std::atomic<bool> ends{false};
    std::atomic<std::uint64_t> seen{0};
    std::atomic<std::uint64_t> seen_short{0};
    std::thread watcher([&] {
        while (!ends) {
            struct stat facts {};
            if (::stat(path.c_str(), &facts) != 0) continue;
            ++seen;
            if (facts.st_size != static_cast<off_t>(text.size())) ++seen_short;
        }
    });
    for (int i = 0; i < 300; ++i) {
        FileHandle file = files.open("filled", {.create_new = true, .first_bytes = bytes});
        std::vector<std::byte> read(text.size());
        std::size_t transferred = 0;
        CHECK(!files.storage.read(file, 0, read.data(), read.size(), transferred));
        CHECK(std::equal(bytes.begin(), bytes.end(), read.begin()));
        CHECK(!files.storage.remove(file));
        files.storage.close(file);
    }
    ends = true;
    watcher.join();
    CHECK(seen > 0);
    CHECK(seen_short == 0);

    std::ofstream(path) << "12345" << std::flush;
    FileHandle other;
    CHECK(files.storage.open(path, {.create_new = true, .first_bytes = bytes}, other) == std::errc::file_exists);
    CHECK(std::filesystem::file_size(path) == 5);
}

TEST_CASE("options become the flags of the open file") {
    Files files;
    files.storage.close(files.create("data"));
    OpenOptions options;
    SECTION("plain: read and write, not inherited by child processes") {
        const FileHandle file = files.open("data");
        CHECK((flags_of(file) & O_ACCMODE) == O_RDWR);
        CHECK((flags_of(file) & (O_DIRECT | O_DSYNC)) == 0);
        CHECK((fcntl(file.value, F_GETFD) & FD_CLOEXEC) != 0);
        files.storage.close(file);
    }
    SECTION("read_only") {
        options.read_only = true;
        const FileHandle file = files.open("data", options);
        CHECK((flags_of(file) & O_ACCMODE) == O_RDONLY);
        files.storage.close(file);
    }
    SECTION("durable_writes") {
        options.durable_writes = true;
        const FileHandle file = files.open("data", options);
        CHECK((flags_of(file) & O_DSYNC) != 0);
        files.storage.close(file);
    }
    SECTION("direct") {
        if (!files.folder.has_direct_io()) return;
        options.direct = true;
        options.create_new = GENERATE(false, true);
        const FileHandle file = files.open(options.create_new ? "new" : "data", options);
        CHECK((flags_of(file) & O_DIRECT) != 0);
        files.storage.close(file);
    }
}

TEST_CASE("a file system that refuses direct I/O returns invalid_argument") {
    PosixStorage storage;
    OpenOptions options;
    options.direct = true;
    options.read_only = true;
    FileHandle file;
    CHECK(storage.open("/proc/self/status", options, file) == std::errc::invalid_argument);
    CHECK_FALSE(file.is_open());
}

TEST_CASE("a new file that cannot be opened for direct I/O is not left behind") {
    const TempFolder folder;
    const std::string report = in_child_process([&]() -> std::string {
        if (!mount_privately("ramfs", folder.path())) return "cannot mount";
        PosixStorage storage;
        OpenOptions options;
        options.create_new = true;
        options.direct = true;
        FileHandle file;
        const std::error_code error = storage.open(folder.file("data.mdx"), options, file);
        return error.message() + (std::filesystem::is_empty(folder.path()) ? ", nothing left" : ", something left");
    });
    if (report == "cannot mount") {
        WARN("this user may not mount a file system");
        return;
    }
    CHECK(report == std::make_error_code(std::errc::invalid_argument).message() + ", nothing left");
}

TEST_CASE("a lock keeps a second opener out until the first one closes") {
    Files files;
    const FileHandle first = files.create("data");
    const FileHandle second = files.open("data");
    CHECK(!files.storage.lock(first));
    CHECK(files.storage.lock(second) == std::errc::resource_unavailable_try_again);
    files.storage.close(first);
    CHECK(!files.storage.lock(second));
    files.storage.close(second);
}

TEST_CASE("a shared lock keeps a lock out, but not other shared ones") {
    Files files;
    const FileHandle first = files.create("data");
    const FileHandle second = files.open("data");
    const FileHandle third = files.open("data");
    CHECK(!files.storage.lock_shared(first));
    CHECK(!files.storage.lock_shared(second));
    CHECK(files.storage.lock(third) == std::errc::resource_unavailable_try_again);
    files.storage.close(first);
    files.storage.close(second);
    CHECK(!files.storage.lock(third));
    const FileHandle late = files.open("data");
    CHECK(files.storage.lock_shared(late) == std::errc::resource_unavailable_try_again);
    files.storage.close(late);
    files.storage.close(third);
}

TEST_CASE("a file that is only read can be locked where only writers get an exclusive lock, as on NFS") {
    const std::string result = in_child_process([]() -> std::string {
        Files files;
        const FileHandle writer = files.create("data");
        const FileHandle reader = files.open("data", {.read_only = true});
        const FileHandle other = files.open("data", {.read_only = true});
        if (!forbid_flock(reader.value, LOCK_EX | LOCK_NB, EBADF)) return "no filter";
        if (const std::error_code error = files.storage.lock(reader)) return error.message();
        if (files.storage.lock(writer) != std::errc::resource_unavailable_try_again) return "a writer is not kept out";
        files.storage.close(reader);
        if (files.storage.lock(writer)) return "a writer is kept out for ever";
        return files.storage.lock(other) == std::errc::resource_unavailable_try_again ? "locked" : "a reader is not kept out";
    });
    if (result == "no filter") {
        WARN("not tried: filters of system calls are not allowed here");
    } else {
        CHECK(result == "locked");
    }
}

TEST_CASE("the blocking operations do what the engine's do") {
    Files files;
    const FileHandle file = files.create("data");
    std::uint64_t size_bytes = 0;
    CHECK(!files.storage.truncate(file, 10000));
    CHECK(!files.storage.size(file, size_bytes));
    CHECK(size_bytes == 10000);
    const std::error_code allocated = files.storage.allocate(file, 10000, 90000);
    if (allocated != std::errc::operation_not_supported) {
        CHECK(!allocated);
        CHECK(!files.storage.size(file, size_bytes));
        CHECK(size_bytes == 100000);
    }
    CHECK(!files.storage.sync(file));
    CHECK(!files.storage.drop_cache(file));
    files.storage.close(file);
    CHECK(files.storage.sync(file) == std::errc::bad_file_descriptor);
    CHECK(files.storage.drop_cache(file) == std::errc::bad_file_descriptor);
    CHECK(files.storage.size(file, size_bytes) == std::errc::bad_file_descriptor);
}

TEST_CASE("a blocking read is short only at the end of the file") {
    Files files;
    const FileHandle file = files.create("data");
    REQUIRE(write(file.value, "0123456789", 10) == 10);
    const Memory memory(16);
    std::size_t transferred_bytes = 0;
    CHECK(!files.storage.read(file, 2, memory.data(), 4, transferred_bytes));
    CHECK(transferred_bytes == 4);
    CHECK(std::memcmp(memory.data(), "2345", 4) == 0);
    CHECK(!files.storage.read(file, 8, memory.data(), 16, transferred_bytes));
    CHECK(transferred_bytes == 2);
    CHECK(!files.storage.read(file, 100, memory.data(), 16, transferred_bytes));
    CHECK(transferred_bytes == 0);
    files.storage.close(file);
    CHECK(files.storage.read(file, 0, memory.data(), 16, transferred_bytes) == std::errc::bad_file_descriptor);
}

TEST_CASE("next_data steps over holes") {
    constexpr std::uint64_t kMiB = 1 << 20;
    Files files;
    const FileHandle file = files.create("data");
    REQUIRE(!files.storage.truncate(file, 4 * kMiB));
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    REQUIRE(!files.storage.next_data(file, 0, begin, end));
    if (begin == 0) {
        WARN("this file system does not tell holes");
        CHECK(end == 4 * kMiB);
    } else {
        CHECK(begin == 4 * kMiB);
        CHECK(end == 4 * kMiB);
        const std::string data(65536, 'x');
        REQUIRE(pwrite(file.value, data.data(), data.size(), 2 * kMiB) == 65536);
        REQUIRE(!files.storage.next_data(file, 0, begin, end));
        CHECK(begin == 2 * kMiB);
        CHECK(end == 2 * kMiB + 65536);
        REQUIRE(!files.storage.next_data(file, 2 * kMiB + 4096, begin, end));
        CHECK(begin == 2 * kMiB + 4096);
        REQUIRE(!files.storage.next_data(file, end, begin, end));
        CHECK(begin == 4 * kMiB);
    }
    REQUIRE(!files.storage.next_data(file, 5 * kMiB, begin, end));
    CHECK(begin == 4 * kMiB);
    files.storage.close(file);
}

TEST_CASE("free space is known for a folder and for a file that does not exist yet") {
    Files files;
    std::uint64_t in_folder = 0;
    std::uint64_t for_file = 0;
    CHECK(!files.storage.free_space(files.folder.path(), in_folder));
    CHECK(in_folder > 0);
    CHECK(!files.storage.free_space(files.folder.file("not yet"), for_file));
    CHECK(for_file > 0);
    CHECK(files.storage.free_space("/does/not/exist", for_file) == std::errc::no_such_file_or_directory);
}

TEST_CASE("make_engine returns the requested kind of engine") {
    PosixStorage storage;
    std::string reason = "old";
    EngineOptions options;
    options.kind = EngineKind::threads;
    CHECK(storage.make_engine(options, reason)->name() == "threads");
    CHECK(reason.empty());
    options.kind = EngineKind::automatic;
    if (!has_uring()) {
        CHECK(storage.make_engine(options, reason)->name() == "threads");
        CHECK(!reason.empty());
        return;
    }
    CHECK(storage.make_engine(options, reason)->name() == "uring");
    CHECK(reason.empty());
    options.kind = EngineKind::uring;
    CHECK(storage.make_engine(options, reason)->name() == "uring");
}
