#include "sim/files/file_creator.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <utility>

#include "tests/sim/support/creator_bench.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

TEST_CASE("a new file has its signature page, its size and its space, and reads as zeros") {
    CreatorBench bench;
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

TEST_CASE("the setup of a file includes how its writes become durable") {
    CreatorBench bench;
    bench.options.write_through = false;
    const Prepared made = bench.prepare(bench.file("a.mdx"));
    CHECK(made.setup.durability == sim::Durability::forced_flush);
    bench.options.write_through = true;
    const Prepared other = bench.prepare(bench.file("b.mdx"));
    CHECK(other.setup.durability == sim::Durability::write_through);
}

TEST_CASE("files are opened according to NoBuffering, scatter/gather and WriteThrough") {
    struct OpenSpy final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
            opened.push_back(how);
            ums::OpenOptions buffered = how;
            buffered.direct = false;
            return inner().open(path, buffered, file);
        }
        std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& how, ums::FileHandle& again) override {
            opened.push_back(how);
            ums::OpenOptions buffered = how;
            buffered.direct = false;
            return inner().reopen(file, buffered, again);
        }
        std::vector<ums::OpenOptions> opened;
    };
    const auto direct_for = [](bool no_buffering, bool scatter_gather) {
        CreatorBench bench;
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
    CHECK(direct_for(false, true));  // scatter reads and gather writes are for unbuffered files only
    CHECK(direct_for(true, true));
}

TEST_CASE("a foreign file is refused and left untouched") {
    CreatorBench bench;
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

TEST_CASE("a foreign file may be destroyed if the switch allows it") {
    CreatorBench bench;
    bench.options.overwrite_foreign_files = true;
    const std::string path = bench.folder / "foreign.mdx";
    make_file(path, std::string(100'000, 'x'));
    CHECK(bench.prepare(bench.file("foreign.mdx")).error == Error::none);
    CHECK(begins_with_signature(path));
    CHECK(is_all_zero(content(path)));
    CHECK(size_of_file(path) == kMb);
}

TEST_CASE("names of real database files are refused in upper and lower case, even if no such file exists") {
    CreatorBench bench;
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

TEST_CASE("folders and other things that are not files are refused, whatever the switch") {
    CreatorBench bench;
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

TEST_CASE("a missing folder is reported by name") {
    CreatorBench bench;
    sim::FileOptions file = bench.file("nowhere/deep/a.mdx");
    const Prepared failed = bench.prepare(file);
    CHECK(failed.error == Error::environment);
    CHECK_THAT(failed.message, ContainsSubstring("the folder " + (bench.folder / "nowhere/deep") + " does not exist"));
}

TEST_CASE("a file in use is refused as such and left untouched") {
    CreatorBench bench;
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

namespace {

// Another run does something just before this one locks its file.
struct Overtaken final : ums::ForwardingStorage {
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code lock(ums::FileHandle file) override {
        if (other) std::exchange(other, nullptr)();
        return inner().lock(file);
    }
    std::function<void()> other;
};

}  // namespace

TEST_CASE("a new file that another run locks first is that run's, and stays") {
    CreatorBench bench;
    Overtaken overtaken(bench.posix);
    bench.storage = &overtaken;
    int fd = -1;
    overtaken.other = [&] {
        fd = ::open((bench.folder / "a.mdx").c_str(), O_RDWR | O_CLOEXEC);
        CHECK(::flock(fd, LOCK_EX | LOCK_NB) == 0);
    };
    const Prepared failed = bench.prepare(bench.file("a.mdx"));
    CHECK(failed.error == Error::environment);
    CHECK_THAT(failed.message, ContainsSubstring("is in use by another run"));
    CHECK(bench.names_in_folder() == 1);
    ::close(fd);
}

TEST_CASE("a lock that the file system refuses is not called a lock of another run, and the new file goes again") {
    struct Lockless final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        std::error_code lock(ums::FileHandle /*file*/) override { return error; }
        std::error_code error;
    };
    CreatorBench bench;
    Lockless storage(bench.posix);
    bench.storage = &storage;
    for (const int number : {ENOLCK, ENOSYS, EOPNOTSUPP}) {
        storage.error = system_error(number);
        const Prepared failed = bench.prepare(bench.file("a.mdx"));
        CHECK(failed.error == Error::environment);
        CHECK_THAT(failed.message, ContainsSubstring("a.mdx: cannot be locked: " + storage.error.message()));
        CHECK(bench.names_in_folder() == 0);
    }
    storage.error = system_error(EACCES);  // SMB: another one holds the lock
    const Prepared late = bench.prepare(bench.file("a.mdx"));
    CHECK(late.error == Error::environment);
    CHECK_THAT(late.message, ContainsSubstring("is in use by another run"));
    CHECK(bench.names_in_folder() == 1);
}

TEST_CASE("a lock that keeps the run's own transfers off, as on SMB, is not a fault of the storage") {
    struct Mandatory final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& how, ums::FileHandle& again) override {
            const std::error_code error = inner().reopen(file, how, again);
            transfers = again;
            return error;
        }
        std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                             std::size_t& transferred_bytes) override {
            if (file == transfers) return system_error(EACCES);
            return inner().read(file, offset_bytes, data, size_bytes, transferred_bytes);
        }
        void close(ums::FileHandle file) override {
            closes_transfers = closes_transfers || file == transfers;
            inner().close(file);
        }
        ums::FileHandle transfers;
        bool closes_transfers = false;
    };
    CreatorBench bench;
    Mandatory storage(bench.posix);
    bench.storage = &storage;
    const Prepared failed = bench.prepare(bench.file("a.mdx"));
    CHECK(failed.error == Error::environment);
    CHECK_THAT(failed.message, ContainsSubstring("a.mdx: reads are refused"));
    CHECK(failed.findings.empty());
    CHECK(bench.names_in_folder() == 0);
    CHECK(storage.closes_transfers);
}

TEST_CASE("a file that another run replaces before it is locked is not used") {
    CreatorBench bench;
    Overtaken overtaken(bench.posix);
    bench.storage = &overtaken;
    const std::string path = bench.folder / "a.mdx";
    const bool was_there = GENERATE(false, true);
    if (was_there) make_our_file(path, kMb);
    overtaken.other = [&] {
        std::filesystem::remove(path);
        make_our_file(path, kMb);
    };
    const Prepared failed = bench.prepare(bench.file("a.mdx", 2));
    CHECK(failed.error == Error::environment);
    CHECK_THAT(failed.message, ContainsSubstring("another file has taken this name"));
    REQUIRE(size_of_file(path) == kMb);
    CHECK(content(path)[0] == std::byte{1});
}

TEST_CASE("a prepared file stays locked") {
    CreatorBench bench;
    const ums::RealClock clock;
    CollectingSink sink;
    sim::Journal journal(clock, sink);
    ums::SchedulerGroup group({}, bench.posix, clock);
    const sim::FileOptions file = bench.file("a.mdx");
    auto main = [](CreatorBench& b, const sim::FileOptions& wanted, sim::Journal& log) -> ums::Task<void> {
        sim::FileCreator creator(b.options, b.posix, log, kRunId);
        const sim::SimFile::Setup setup = co_await prepare_file(creator, 1, wanted);
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

TEST_CASE("an old file of ours is replaced if DeleteFilesAtStartup requests it") {
    CreatorBench bench;
    const std::string path = bench.folder / "a.mdx";
    make_our_file(path, 3 * kMb);
    const Prepared made = bench.prepare(bench.file("a.mdx", 2));
    REQUIRE(made.error == Error::none);
    CHECK(made.setup.created);
    CHECK(size_of_file(path) == 2 * kMb);
    CHECK(is_all_zero(content(path)));
}

TEST_CASE("a larger file of ours that is kept is not truncated, and its contents stay") {
    CreatorBench bench;
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
    CreatorBench bench;
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

TEST_CASE("the old contents of a log file that is kept are overwritten with zeros") {
    CreatorBench bench;
    bench.options.delete_files_at_startup = false;
    const std::string path = bench.folder / "a.ldx";
    make_our_file(path, 2 * kMb);
    REQUIRE(bench.prepare(bench.log_file("a.ldx")).error == Error::none);
    CHECK(begins_with_signature(path));
    CHECK(is_all_zero(content(path)));
}

TEST_CASE("zeros are really written to log files, and to data files if StampFiles requests it") {
    // Counts the written bytes, in requests of 1 MB.
    struct WriteSpy final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
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
            return std::make_unique<Engine>(inner().make_engine(how, reason), bytes);
        }
        std::uint64_t bytes = 0;
    };
    const auto written_for = [](bool is_log, bool stamp, bool is_sparse = false) {
        CreatorBench bench;
        WriteSpy spy(bench.posix);
        bench.storage = &spy;
        bench.options.stamp_files = stamp;
        sim::FileOptions file = bench.file("a.x", 3);
        file.is_log = is_log;
        file.sparse = is_sparse;
        REQUIRE(bench.prepare(file).error == Error::none);
        CHECK(is_all_zero(content(file.path)));
        return spy.bytes;
    };
    CHECK(written_for(false, false) == sim::kPageBytes);
    CHECK(written_for(false, true) == 3 * kMb);
    CHECK(written_for(true, false) == 3 * kMb);
    CHECK(written_for(true, true) == 3 * kMb);
    // A sparse data file begins with holes; a log never does.
    CHECK(written_for(false, true, true) == sim::kPageBytes);
    CHECK(written_for(true, false, true) == 3 * kMb);
}

TEST_CASE("a sparse file has its size without the space, even if an old file had contents") {
    CreatorBench bench;
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
