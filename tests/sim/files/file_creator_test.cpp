#include "sim/files/file_creator.hpp"

#include <sys/file.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "sim/page/page_codec.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/storage_wrapper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/sched/scheduler_group.hpp"

using namespace sim::testing;

namespace {

constexpr std::uint64_t kMb = 1 << 20;
constexpr std::uint64_t kRunId = 4711;

enum class Error { none, refused, environment };

// What came of one preparation; handles are closed again.
struct Prepared {
    Error error = Error::none;
    std::string message;
    sim::SimFile::Setup setup;
};

// A folder, options as of a careful user, and the storage, which a test may replace.
struct Bench {
    test::TempFolder folder;
    ums::PosixStorage posix;
    ums::Storage* storage = &posix;
    sim::Options options;

    Bench() {
        options.no_buffering = false;
        options.use_scatter_gather = false;
        options.cpu_count = 1;
    }

    [[nodiscard]] sim::FileOptions file(const std::string& name, std::uint64_t initial_mb = 1) const {
        return {.path = folder / name, .initial_size_mb = initial_mb, .max_size_mb = 4};
    }
    [[nodiscard]] sim::FileOptions log_file(const std::string& name, std::uint64_t initial_mb = 1) const {
        sim::FileOptions result = file(name, initial_mb);
        result.is_log = true;
        return result;
    }
    [[nodiscard]] std::size_t names_in_folder() const {
        const std::filesystem::directory_iterator names(folder.path());
        return static_cast<std::size_t>(std::distance(begin(names), end(names)));
    }

    Prepared prepare(const sim::FileOptions& file, std::uint32_t id = 1) {
        const ums::RealClock clock;
        CollectingSink sink;
        sim::Journal journal(clock, sink);
        ums::SchedulerGroup group({}, *storage, clock);
        Prepared result;
        sim::FileCreator creator(options, *storage, journal, kRunId);
        auto main = [](sim::FileCreator& maker, std::uint32_t number, const sim::FileOptions& wanted, Prepared& out) -> ums::Task<void> {
            out.setup = co_await maker.prepare(number, wanted);
        };
        try {
            group.run(main(creator, id, file, result));
            storage->close(result.setup.transfers);
            storage->close(result.setup.control);
        } catch (const sim::RefusedError& error) {
            result.error = Error::refused;
            result.message = error.what();
        } catch (const sim::EnvironmentError& error) {
            result.error = Error::environment;
            result.message = error.what();
        }
        return result;
    }
};

bool is_all_zero(const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

bool begins_with_signature(const std::string& path) {
    const PageBuffer page;
    const auto bytes = peek(path, 0, sim::kPageBytes);
    std::memcpy(page.data(), bytes.data(), bytes.size());
    return sim::has_signature(page.data()) && sim::page_checksum(page.data()) == sim::read_header(page.data()).checksum;
}

// An old file of ours: a signature page, then ones.
void make_our_file(const std::string& path, std::uint64_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes, std::byte{1});
    const PageBuffer page({.run_id = 1, .file_id = 9, .page_id = 0, .version = 1});
    std::memcpy(bytes.data(), page.data(), sim::kPageBytes);
    make_file(path, "");
    poke(path, 0, bytes);
}

// The bytes from the second page on.
std::vector<std::byte> content(const std::string& path) {
    return peek(path, sim::kPageBytes, static_cast<std::size_t>(size_of_file(path)) - sim::kPageBytes);
}

}  // namespace

TEST_CASE("a new file has its signature page, its size, its space, and reads as zeros") {
    Bench bench;
    const Prepared made = bench.prepare(bench.file("a.mdx", 2), 7);
    REQUIRE(made.error == Error::none);
    const std::string path = bench.folder / "a.mdx";
    CHECK(size_of_file(path) == 2 * kMb);
    CHECK(allocated_bytes_of(path) >= 2 * kMb);
    CHECK(begins_with_signature(path));
    CHECK(is_all_zero(content(path)));
    const PageBuffer page;
    std::memcpy(page.data(), peek(path, 0, sim::kPageBytes).data(), sim::kPageBytes);
    CHECK(sim::read_header(page.data()).file_id == 7);
    CHECK(sim::read_header(page.data()).run_id == kRunId);
    CHECK(made.setup.created);
    CHECK_FALSE(made.setup.is_device);
    CHECK(made.setup.id == 7);
    CHECK(made.setup.size_bytes == 2 * kMb);
    CHECK(made.setup.options.max_size_mb == 4);
}

TEST_CASE("what the options say about transfers arrives in the set-up of a file") {
    Bench bench;
    bench.options.write_through = false;
    bench.options.target_io_duration_ms = 33;
    bench.options.max_outstanding_io = 44;
    bench.options.cpu_count = 3;
    const Prepared made = bench.prepare(bench.file("a.mdx"));
    CHECK_FALSE(made.setup.durable_writes);
    CHECK(made.setup.target_io_duration_ms == 33);
    CHECK(made.setup.request_blocks_max == 44);
    CHECK(made.setup.cpu_count == 3);
    bench.options.write_through = true;
    bench.options.max_outstanding_io = 0;
    const Prepared other = bench.prepare(bench.file("b.mdx"));
    CHECK(other.setup.durable_writes);
    CHECK(other.setup.request_blocks_max == sim::kOutstandingIoMax);
}

TEST_CASE("files are opened as NoBuffering, scatter/gather and WriteThrough say") {
    struct OpenSpy final : StorageWrapper {
        using StorageWrapper::StorageWrapper;
        std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
            opened.push_back(how);
            ums::OpenOptions buffered = how;
            buffered.direct = false;
            return inner_.open(path, buffered, file);
        }
        std::vector<ums::OpenOptions> opened;
    };
    const auto direct_for = [](bool no_buffering, bool scatter_gather) {
        Bench bench;
        OpenSpy spy(bench.posix);
        bench.storage = &spy;
        bench.options.no_buffering = no_buffering;
        bench.options.use_scatter_gather = scatter_gather;
        REQUIRE(bench.prepare(bench.file("a.mdx")).error == Error::none);
        REQUIRE(spy.opened.size() == 2);
        CHECK(spy.opened[0].direct == spy.opened[1].direct);
        CHECK(spy.opened[0].create_new);
        CHECK(spy.opened[1].durable_writes);
        return spy.opened[1].direct;
    };
    CHECK_FALSE(direct_for(false, false));
    CHECK(direct_for(true, false));
    CHECK_FALSE(direct_for(false, true));  // scatter reads and gather writes work through the cache, too
    CHECK(direct_for(true, true));
}

TEST_CASE("a foreign file is refused and not touched") {
    Bench bench;
    for (const std::uint64_t size_bytes : {0ULL, 100ULL, 8192ULL, 100'000ULL}) {
        const std::string path = bench.folder / "foreign.mdx";
        make_file(path, std::string(size_bytes, 'x'));
        const auto before = facts_of(path);
        const Prepared refused = bench.prepare(bench.file("foreign.mdx"));
        CHECK(refused.error == Error::refused);
        CHECK_THAT(refused.message, ContainsSubstring(path + ": refused: the file exists and does not begin with ioproof's signature"));
        CHECK_THAT(refused.message, ContainsSubstring("--overwrite-foreign-files"));
        REQUIRE(size_of_file(path) == size_bytes);
        const auto bytes = peek(path, 0, size_bytes);
        CHECK(std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{'x'}; }));
        CHECK(facts_of(path).st_ino == before.st_ino);
        CHECK(facts_of(path).st_mtim.tv_nsec == before.st_mtim.tv_nsec);
    }
}

TEST_CASE("a foreign file may be destroyed if the switch says so") {
    Bench bench;
    bench.options.overwrite_foreign_files = true;
    const std::string path = bench.folder / "foreign.mdx";
    make_file(path, std::string(100'000, 'x'));
    CHECK(bench.prepare(bench.file("foreign.mdx")).error == Error::none);
    CHECK(begins_with_signature(path));
    CHECK(is_all_zero(content(path)));
    CHECK(size_of_file(path) == kMb);
}

TEST_CASE("names of real database files are refused in any case of letters, also when there is no such file") {
    Bench bench;
    for (const char* name : {"a.mdf", "a.ndf", "a.ldf", "a.MDF", "a.Ndf", "a.lDf", ".mdf"}) {
        const Prepared refused = bench.prepare(bench.file(name));
        CHECK(refused.error == Error::refused);
        CHECK_THAT(refused.message, ContainsSubstring("names of real databases"));
    }
    CHECK(bench.names_in_folder() == 0);
    for (const char* name : {"a.mdx", "amdf", "a.mdf.x"}) CHECK(bench.prepare(bench.file(name)).error == Error::none);
    bench.options.overwrite_foreign_files = true;
    CHECK(bench.prepare(bench.file("a.MDF")).error == Error::none);
}

TEST_CASE("a folder and other things that are no files are refused, whatever the switch") {
    Bench bench;
    for (const bool overwrite : {false, true}) {
        bench.options.overwrite_foreign_files = overwrite;
        sim::FileOptions folder = bench.file("x");
        folder.path = bench.folder.path().string();
        CHECK(bench.prepare(folder).error == Error::refused);
        CHECK_THAT(bench.prepare(folder).message, ContainsSubstring("is a folder"));
        sim::FileOptions device = bench.file("x");
        device.path = "/dev/null";
        CHECK(bench.prepare(device).error == Error::refused);
    }
}

TEST_CASE("a missing folder is said by name") {
    Bench bench;
    sim::FileOptions file = bench.file("nowhere/deep/a.mdx");
    const Prepared failed = bench.prepare(file);
    CHECK(failed.error == Error::environment);
    CHECK_THAT(failed.message, ContainsSubstring("the folder " + (bench.folder / "nowhere/deep") + " does not exist"));
}

TEST_CASE("a file in use is refused as such, and left as it is") {
    Bench bench;
    const std::string path = bench.folder / "a.mdx";
    make_our_file(path, kMb);
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(fd, LOCK_EX) == 0);
    for (const bool overwrite : {false, true}) {
        bench.options.overwrite_foreign_files = overwrite;
        const Prepared failed = bench.prepare(bench.file("a.mdx", 2));
        CHECK(failed.error == Error::environment);
        CHECK_THAT(failed.message, ContainsSubstring("is in use by another run"));
    }
    CHECK(size_of_file(path) == kMb);
    CHECK(content(path)[0] == std::byte{1});
    ::close(fd);
    CHECK(bench.prepare(bench.file("a.mdx", 2)).error == Error::none);
}

TEST_CASE("a prepared file stays locked") {
    Bench bench;
    const ums::RealClock clock;
    CollectingSink sink;
    sim::Journal journal(clock, sink);
    ums::SchedulerGroup group({}, bench.posix, clock);
    const sim::FileOptions file = bench.file("a.mdx");
    auto main = [](Bench& b, const sim::FileOptions& wanted, sim::Journal& log) -> ums::Task<void> {
        sim::FileCreator creator(b.options, b.posix, log, kRunId);
        const sim::SimFile::Setup setup = co_await creator.prepare(1, wanted);
        const int fd = ::open(wanted.path.c_str(), O_RDWR | O_CLOEXEC);
        CHECK(::flock(fd, LOCK_EX | LOCK_NB) != 0);
        b.posix.close(setup.transfers);
        CHECK(::flock(fd, LOCK_EX | LOCK_NB) != 0);
        b.posix.close(setup.control);
        CHECK(::flock(fd, LOCK_EX | LOCK_NB) == 0);
        ::close(fd);
    };
    group.run(main(bench, file, journal));
}

TEST_CASE("an old file of ours is replaced when DeleteFilesAtStartup asks for it") {
    Bench bench;
    const std::string path = bench.folder / "a.mdx";
    make_our_file(path, 3 * kMb);
    const Prepared made = bench.prepare(bench.file("a.mdx", 2));
    REQUIRE(made.error == Error::none);
    CHECK(made.setup.created);
    CHECK(size_of_file(path) == 2 * kMb);
    CHECK(is_all_zero(content(path)));
}

TEST_CASE("a larger file of ours that is kept is not cut, and its content stays") {
    Bench bench;
    bench.options.delete_files_at_startup = false;
    const std::string path = bench.folder / "a.mdx";
    make_our_file(path, 5 * kMb);
    const Prepared made = bench.prepare(bench.file("a.mdx", 2), 3);
    REQUIRE(made.error == Error::none);
    CHECK_FALSE(made.setup.created);
    CHECK(made.setup.size_bytes == 5 * kMb);
    CHECK(made.setup.options.max_size_mb == 5);
    CHECK(size_of_file(path) == 5 * kMb);
    const auto bytes = content(path);
    CHECK(std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{1}; }));
    CHECK(begins_with_signature(path));
}

TEST_CASE("a smaller file of ours that is kept is extended with zeros") {
    Bench bench;
    bench.options.delete_files_at_startup = false;
    for (const bool stamp : {false, true}) {
        bench.options.stamp_files = stamp;
        const std::string path = bench.folder / (stamp ? "stamped.mdx" : "a.mdx");
        make_our_file(path, kMb);
        const Prepared made = bench.prepare(bench.file(stamp ? "stamped.mdx" : "a.mdx", 3));
        REQUIRE(made.error == Error::none);
        CHECK(made.setup.size_bytes == 3 * kMb);
        CHECK(allocated_bytes_of(path) >= 3 * kMb);
        const auto bytes = content(path);
        CHECK(bytes[0] == std::byte{1});
        CHECK(bytes[kMb - sim::kPageBytes - 1] == std::byte{1});
        CHECK(is_all_zero({bytes.begin() + static_cast<std::ptrdiff_t>(kMb - sim::kPageBytes), bytes.end()}));
    }
}

TEST_CASE("the old content of a log file that is kept is stamped over with zeros") {
    Bench bench;
    bench.options.delete_files_at_startup = false;
    const std::string path = bench.folder / "a.ldx";
    make_our_file(path, 2 * kMb);
    REQUIRE(bench.prepare(bench.log_file("a.ldx")).error == Error::none);
    CHECK(begins_with_signature(path));
    CHECK(is_all_zero(content(path)));
}

TEST_CASE("zeros are really written into log files, and into data files if StampFiles says so") {
    // Counts the bytes that are written, 1 MB requests.
    struct WriteSpy final : StorageWrapper {
        using StorageWrapper::StorageWrapper;
        struct Engine final : ums::IoEngine {
            Engine(std::unique_ptr<ums::IoEngine> below, std::uint64_t& count_bytes) : inner(std::move(below)), bytes(count_bytes) {}
            [[nodiscard]] std::string_view name() const override { return inner->name(); }
            void submit(ums::IoRequest& request) override {
                if (request.operation == ums::IoOperation::write) bytes += request.size_bytes;
                inner->submit(request);
            }
            void poll(ums::IoRequestList& finished) override { inner->poll(finished); }
            void wait(std::uint64_t timeout_ns) override { inner->wait(timeout_ns); }
            void wake() override { inner->wake(); }
            [[nodiscard]] std::uint32_t in_flight() const override { return inner->in_flight(); }
            std::unique_ptr<ums::IoEngine> inner;
            std::uint64_t& bytes;
        };
        std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& how, std::string& reason) override {
            return std::make_unique<Engine>(inner_.make_engine(how, reason), bytes);
        }
        std::uint64_t bytes = 0;
    };
    const auto written_for = [](bool is_log, bool stamp) {
        Bench bench;
        WriteSpy spy(bench.posix);
        bench.storage = &spy;
        bench.options.stamp_files = stamp;
        sim::FileOptions file = bench.file("a.x", 3);
        file.is_log = is_log;
        REQUIRE(bench.prepare(file).error == Error::none);
        CHECK(is_all_zero(content(file.path)));
        return spy.bytes;
    };
    CHECK(written_for(false, false) == sim::kPageBytes);
    CHECK(written_for(false, true) == 3 * kMb);
    CHECK(written_for(true, false) == 3 * kMb);
    CHECK(written_for(true, true) == 3 * kMb);
}

TEST_CASE("a sparse file has its size without the space, also where an old one had content") {
    Bench bench;
    bench.options.delete_files_at_startup = false;
    const std::string path = bench.folder / "a.mdx";
    make_our_file(path, 2 * kMb);
    sim::FileOptions file = bench.file("a.mdx", 4);
    file.sparse = true;
    REQUIRE(bench.prepare(file).error == Error::none);
    CHECK(size_of_file(path) == 4 * kMb);
    CHECK(allocated_bytes_of(path) < kMb);
    CHECK(begins_with_signature(path));
    CHECK(is_all_zero(content(path)));
}

// --- failures leave nothing behind ---

namespace {

// Fails where the test says.
struct Broken final : StorageWrapper {
    using StorageWrapper::StorageWrapper;
    std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
        ++opens;
        if (open_error && (how.create_new || !only_creation) && opens >= first_broken_open) return *open_error;
        ums::OpenOptions buffered = how;
        buffered.direct = false;
        const auto error = inner_.open(path, buffered, file);
        if (!error) ++open_handles;
        return error;
    }
    void close(ums::FileHandle file) override {
        --open_handles;
        inner_.close(file);
    }
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override {
        if (!free) return inner_.free_space(path, free_bytes);
        free_bytes = *free;
        return {};
    }
    std::error_code allocate(ums::FileHandle file, std::uint64_t offset, std::uint64_t size_bytes) override {
        if (!allocate_error) return inner_.allocate(file, offset, size_bytes);
        static_cast<void>(inner_.allocate(file, offset, size_bytes / 2));  // as ext4 and xfs do
        return *allocate_error;
    }
    std::error_code sync(ums::FileHandle file) override { return sync_error ? *sync_error : inner_.sync(file); }
    std::error_code lock(ums::FileHandle file) override { return lock_error ? *lock_error : inner_.lock(file); }

    std::optional<std::error_code> open_error;
    bool only_creation = false;
    int first_broken_open = 0;
    std::optional<std::uint64_t> free;
    std::optional<std::error_code> allocate_error;
    std::optional<std::error_code> sync_error;
    std::optional<std::error_code> lock_error;
    int opens = 0;
    int open_handles = 0;
};

std::error_code system_error(int number) { return {number, std::system_category()}; }

}  // namespace

TEST_CASE("where there is not enough space a run says how much is needed, and makes nothing") {
    Bench bench;
    Broken broken(bench.posix);
    broken.free = 2 * kMb;
    bench.storage = &broken;
    const Prepared failed = bench.prepare(bench.file("a.mdx", 3));
    CHECK(failed.error == Error::environment);
    CHECK_THAT(failed.message, ContainsSubstring("not enough space: 3 MB are needed, 2 MB are free in " + bench.folder.path().string()));
    CHECK(bench.names_in_folder() == 0);
    CHECK(bench.prepare(bench.file("b.mdx", 2)).error == Error::none);
    sim::FileOptions sparse = bench.file("c.mdx", 3);
    sparse.sparse = true;
    CHECK(bench.prepare(sparse).error == Error::none);
}

TEST_CASE("whatever fails on the way, a file that was made is removed and every handle is closed") {
    Bench bench;
    Broken broken(bench.posix);
    bench.storage = &broken;
    const auto check_failure = [&] {
        const Prepared failed = bench.prepare(bench.file("a.mdx"));
        CHECK(failed.error == Error::environment);
        CHECK_THAT(failed.message, ContainsSubstring(bench.folder / "a.mdx"));
        CHECK(bench.names_in_folder() == 0);
        CHECK(broken.open_handles == 0);
    };
    SECTION("the space is gone when it is taken") {
        broken.allocate_error = system_error(ENOSPC);
        check_failure();
    }
    SECTION("it cannot be made durable") {
        broken.sync_error = system_error(EIO);
        check_failure();
    }
    SECTION("it cannot be opened a second time") {
        broken.open_error = system_error(EMFILE);
        broken.first_broken_open = 2;
        check_failure();
    }
    SECTION("somebody else locks it first") {
        broken.lock_error = system_error(EWOULDBLOCK);
        check_failure();
    }
    SECTION("it cannot be created") {
        broken.open_error = system_error(EROFS);
        check_failure();
    }
}

TEST_CASE("a folder that must not be written to is said so") {
    Bench bench;
    Broken broken(bench.posix);
    bench.storage = &broken;
    broken.open_error = system_error(EROFS);
    CHECK_THAT(bench.prepare(bench.file("a.mdx")).message, ContainsSubstring("cannot be created: Read-only file system."));
    broken.open_error = system_error(EACCES);
    CHECK_THAT(bench.prepare(bench.file("a.mdx")).message, ContainsSubstring("cannot be created: Permission denied."));
}

TEST_CASE("an old file of ours that cannot be extended keeps its size") {
    Bench bench;
    bench.options.delete_files_at_startup = false;
    const std::string path = bench.folder / "a.mdx";
    make_our_file(path, kMb);
    Broken broken(bench.posix);
    bench.storage = &broken;
    broken.allocate_error = system_error(ENOSPC);
    CHECK_THAT(bench.prepare(bench.file("a.mdx", 4)).message, ContainsSubstring("cannot be extended: No space left on device."));
    CHECK(size_of_file(path) == kMb);
    CHECK(content(path)[0] == std::byte{1});
    CHECK(broken.open_handles == 0);
}

TEST_CASE("where unbuffered access is refused the message names the settings, for new and for old files") {
    Bench bench;
    bench.options.no_buffering = true;
    Broken broken(bench.posix);
    bench.storage = &broken;
    broken.open_error = system_error(EINVAL);
    const Prepared fresh = bench.prepare(bench.file("a.mdx"));
    CHECK(fresh.error == Error::environment);
    CHECK_THAT(fresh.message, ContainsSubstring("refuses unbuffered access (O_DIRECT)"));
    CHECK_THAT(fresh.message, ContainsSubstring("NoBuffering=FALSE"));
    CHECK(bench.names_in_folder() == 0);
    bench.options.delete_files_at_startup = false;
    make_our_file(bench.folder / "old.mdx", kMb);
    const Prepared old = bench.prepare(bench.file("old.mdx"));
    CHECK_THAT(old.message, ContainsSubstring("NoBuffering=FALSE"));
    CHECK(size_of_file(bench.folder / "old.mdx") == kMb);
}

// --- block devices ---

namespace {

// A storage that takes one regular file for a block device, and allows with it what a device allows.
struct DeviceStorage final : StorageWrapper {
    DeviceStorage(ums::Storage& inner, std::string device_path) : StorageWrapper(inner), path(std::move(device_path)) {}
    std::error_code status(const std::string& name, ums::FileStatus& status) override {
        const auto error = inner_.status(name, status);
        if (name == path) status.kind = ums::FileKind::block_device;
        return error;
    }
    std::error_code open(const std::string& name, const ums::OpenOptions& how, ums::FileHandle& file) override {
        if (name == path && how.exclusive && is_mounted) return system_error(EBUSY);
        if (name == path && how.exclusive) was_exclusive = true;
        return inner_.open(name, how, file);
    }
    std::error_code remove(const std::string&) override { return violation(); }
    std::error_code allocate(ums::FileHandle, std::uint64_t, std::uint64_t) override { return violation(); }
    std::error_code truncate(ums::FileHandle, std::uint64_t) override { return violation(); }

    std::error_code violation() {
        ++violations;
        return system_error(EINVAL);
    }

    const std::string path;
    bool is_mounted = false;
    bool was_exclusive = false;
    int violations = 0;
};

}  // namespace

TEST_CASE("a block device is refused without the switch, with its signature or without") {
    Bench bench;
    const std::string path = bench.folder / "sdx";
    make_our_file(path, 2 * kMb);
    DeviceStorage devices(bench.posix, path);
    bench.storage = &devices;
    const Prepared refused = bench.prepare(bench.file("sdx"));
    CHECK(refused.error == Error::refused);
    CHECK_THAT(refused.message, ContainsSubstring("refused: it is a block device"));
    CHECK_THAT(refused.message, ContainsSubstring("--overwrite-foreign-files"));
    CHECK(content(path)[0] == std::byte{1});
}

TEST_CASE("with the switch a block device is a file of fixed size") {
    Bench bench;
    const std::string path = bench.folder / "sdx";
    make_file(path, std::string(3 * kMb + 512, 'x'));
    DeviceStorage devices(bench.posix, path);
    bench.storage = &devices;
    bench.options.overwrite_foreign_files = true;
    sim::FileOptions file = bench.file("sdx", 2);
    file.sparse = true;
    file.shrinkable = true;
    file.increment_mb = 1;
    const Prepared made = bench.prepare(file);
    REQUIRE(made.error == Error::none);
    CHECK(devices.violations == 0);
    CHECK(devices.was_exclusive);
    CHECK(begins_with_signature(path));
    CHECK(size_of_file(path) == 3 * kMb + 512);
    CHECK(made.setup.is_device);
    CHECK_FALSE(made.setup.created);
    CHECK(made.setup.size_bytes == 2 * kMb);
    CHECK(made.setup.options.max_size_mb == 2);
    CHECK(made.setup.options.increment_mb == 0);
    CHECK_FALSE(made.setup.options.shrinkable);
    CHECK_FALSE(made.setup.options.sparse);
    // What is behind the part in use is left alone.
    CHECK(peek(path, 2 * kMb, 1)[0] == std::byte{'x'});
}

TEST_CASE("a log on a block device, and a stamped data file, begin with zeros") {
    Bench bench;
    const std::string path = bench.folder / "sdx";
    DeviceStorage devices(bench.posix, path);
    bench.storage = &devices;
    bench.options.overwrite_foreign_files = true;
    for (const bool is_log : {true, false}) {
        make_file(path, std::string(2 * kMb, 'x'));
        bench.options.stamp_files = !is_log;
        sim::FileOptions file = bench.file("sdx", 1);
        file.is_log = is_log;
        REQUIRE(bench.prepare(file).error == Error::none);
        CHECK(is_all_zero(peek(path, sim::kPageBytes, kMb - sim::kPageBytes)));
        CHECK(peek(path, kMb, 1)[0] == std::byte{'x'});
    }
    CHECK(devices.violations == 0);
}

TEST_CASE("a block device that is too small or in use is not touched") {
    Bench bench;
    const std::string path = bench.folder / "sdx";
    make_file(path, std::string(2 * kMb, 'x'));
    DeviceStorage devices(bench.posix, path);
    bench.storage = &devices;
    bench.options.overwrite_foreign_files = true;
    const Prepared small = bench.prepare(bench.file("sdx", 3));
    CHECK(small.error == Error::environment);
    CHECK_THAT(small.message, ContainsSubstring("the device is too small: InitialSize is 3 MB, it has 2 MB"));
    devices.is_mounted = true;
    const Prepared mounted = bench.prepare(bench.file("sdx", 1));
    CHECK(mounted.error == Error::environment);
    CHECK_THAT(mounted.message, ContainsSubstring("the device is in use: it is mounted"));
    CHECK(peek(path, 0, 1)[0] == std::byte{'x'});
    CHECK(devices.violations == 0);
}

namespace {

// A loop device over a file, if this user and machine can have one.
class LoopDevice {
public:
    explicit LoopDevice(const std::string& backing) {
        if (::geteuid() != 0) return;
        const std::string command = "losetup --find --show '" + backing + "' 2>/dev/null";
        std::FILE* pipe = ::popen(command.c_str(), "r");
        char line[64] = {};
        if (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr)
            path_ = std::string(line).substr(0, std::string(line).find('\n'));
        if (pipe != nullptr) ::pclose(pipe);
    }
    ~LoopDevice() {
        if (!path_.empty() && std::system(("losetup -d " + path_).c_str()) != 0) std::fprintf(stderr, "%s stays\n", path_.c_str());
    }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace

TEST_CASE("a real block device, a loop device, is prepared without buffering, and refused while something is mounted from it") {
    Bench bench;
    bench.options.no_buffering = true;
    bench.options.overwrite_foreign_files = true;
    const std::string backing = bench.folder / "disk";
    make_file(backing, std::string(24 * kMb, 'x'));
    const LoopDevice loop(backing);
    if (loop.path().empty()) {
        SUCCEED("no loop device can be had here");
        return;
    }
    sim::FileOptions file = bench.log_file("x", 2);
    file.path = loop.path();
    const Prepared made = bench.prepare(file);
    CHECK(made.message.empty());
    REQUIRE(made.error == Error::none);
    CHECK(made.setup.is_device);
    CHECK(begins_with_signature(loop.path()));
    CHECK(is_all_zero(peek(loop.path(), sim::kPageBytes, 2 * kMb - sim::kPageBytes)));
    CHECK(peek(loop.path(), 2 * kMb, 1)[0] == std::byte{'x'});
    CHECK(size_of_file(backing) == 24 * kMb);
    file.initial_size_mb = 25;
    CHECK_THAT(bench.prepare(file).message, ContainsSubstring("it has 24 MB"));
    file.initial_size_mb = 2;
    const std::string mount_point = bench.folder / "mnt";
    std::filesystem::create_directory(mount_point);
    const std::string mount = "(mkfs.ext4 -q " + loop.path() + " && mount " + loop.path() + " " + mount_point + ") >/dev/null 2>&1";
    if (std::system(mount.c_str()) != 0) {
        WARN("nothing can be mounted here");
        return;
    }
    const Prepared mounted = bench.prepare(file);
    CHECK(mounted.error == Error::environment);
    CHECK_THAT(mounted.message, ContainsSubstring("the device is in use"));
    CHECK(std::system(("umount " + mount_point).c_str()) == 0);
}
