// A failed start leaves the files of the previous run as they were: they may be evidence.
#include <sys/file.h>

#include <filesystem>
#include <functional>
#include <optional>

#include "sim/files/file_creator.hpp"
#include "tests/sim/support/creator_bench.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

namespace {

// Free space and failures as the test wants them.
struct Watched final : ums::ForwardingStorage {
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override {
        if (free_space_error) return free_space_error;
        if (!free) return inner().free_space(path, free_bytes);
        free_bytes = *free;
        return {};
    }
    std::error_code check_removal(ums::FileHandle file) override { return removal_error ? *removal_error : inner().check_removal(file); }
    std::error_code check_size(ums::FileHandle file, std::uint64_t size_bytes) override {
        return size_bytes > size_max_bytes ? system_error(EFBIG) : inner().check_size(file, size_bytes);
    }
    std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
        if (how.create_new && creation_error) return *creation_error;
        return inner().open(path, how, file);
    }

    std::optional<std::uint64_t> free;
    std::error_code free_space_error;
    std::optional<std::error_code> removal_error;
    std::optional<std::error_code> creation_error;
    std::uint64_t size_max_bytes = ~0ULL;
};

// A data file and a log file of an earlier run, 1 MB each.
struct EarlierRun : CreatorBench {
    Watched watched{posix};
    sim::FileOptions data = file("a.mdx");
    sim::FileOptions log = log_file("a.ldx");

    EarlierRun() {
        storage = &watched;
        make_our_file(data.path, kMb);
        make_our_file(log.path, kMb);
    }

    // Locks all files, then replaces the old ones.
    Error start(const std::vector<sim::FileOptions>& files) {
        const ums::RealClock clock;
        CollectingSink sink;
        sim::Journal journal(clock, sink);
        ums::SchedulerGroup group({}, *storage, clock);
        sim::FileCreator creator(options, *storage, journal, kRunId);
        auto main = [](sim::FileCreator& maker, const std::vector<sim::FileOptions>& wanted) -> ums::Task<void> {
            const std::vector<sim::NumberedFile> files_of_run = sim::numbered(wanted);
            co_await maker.claim(files_of_run);
            co_await maker.replace_old_files();
        };
        message.clear();
        try {
            group.run(main(creator, files));
            return Error::none;
        } catch (const sim::RefusedError& error) {
            message = error.what();
            return Error::refused;
        } catch (const sim::EnvironmentError& error) {
            message = error.what();
            return Error::environment;
        }
    }
    void check_untouched(const std::string& path) const { CHECK(content(path)[0] == std::byte{1}); }

    std::string message;
};

}  // namespace

TEST_CASE("a foreign file among the files protects all others from being deleted") {
    EarlierRun bench;
    make_file(bench.log.path, std::string(100'000, 'x'));
    CHECK(bench.start({bench.data, bench.log}) == Error::refused);
    bench.check_untouched(bench.data.path);
    CHECK(size_of_file(bench.log.path) == 100'000);
}

TEST_CASE("a file in use among the files protects all others from being deleted") {
    EarlierRun bench;
    const int fd = ::open(bench.log.path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(fd, LOCK_EX) == 0);
    CHECK(bench.start({bench.data, bench.log}) == Error::environment);
    CHECK_THAT(bench.message, ContainsSubstring("a.ldx: is in use"));
    ::close(fd);
    bench.check_untouched(bench.data.path);
    bench.check_untouched(bench.log.path);
}

TEST_CASE("other failures that can be foreseen protect all files from being deleted, and leave no new ones behind") {
    EarlierRun bench;
    sim::FileOptions extra = bench.file("new.mdx");
    Error expected = Error::environment;
    SECTION("a file that cannot be deleted") { bench.watched.removal_error = system_error(EPERM); }
    SECTION("a file system that does not support files of this size") {
        extra.initial_size_mb = 3;
        bench.watched.size_max_bytes = 2 * kMb;
    }
    SECTION("a folder in which no file can be created") { bench.watched.creation_error = system_error(EROFS); }
    SECTION("a folder that is missing") { extra.path = bench.folder / "nowhere/new.mdx"; }
    SECTION("a name of a real database") {
        extra.path = bench.folder / "new.mdf";
        expected = Error::refused;
    }
    CHECK(bench.start({bench.data, bench.log, extra}) == expected);
    CHECK_FALSE(bench.message.empty());
    bench.check_untouched(bench.data.path);
    bench.check_untouched(bench.log.path);
    CHECK(bench.names_in_folder() == 2);
}

TEST_CASE("the space for all files of a file system is added up, and replaced files make room") {
    EarlierRun bench;
    bench.data.initial_size_mb = 3;
    bench.log.initial_size_mb = 3;
    bench.watched.free = 4 * kMb - 65536;  // each file alone would fit
    CHECK(bench.start({bench.data, bench.log}) == Error::environment);
    CHECK_THAT(bench.message, ContainsSubstring("a.mdx and 1 more: not enough space: 6 MB are needed, 5 MB are free"));
    CHECK_THAT(bench.message, ContainsSubstring("with the 2 MB of the files that would be replaced"));
    bench.check_untouched(bench.data.path);
    bench.check_untouched(bench.log.path);
    bench.watched.free = 4 * kMb;
    CHECK(bench.start({bench.data, bench.log}) == Error::none);
}

TEST_CASE("a file system without a limit, which says that almost 2^64 bytes are free, has room beside replaced files") {
    EarlierRun bench;
    bench.data.initial_size_mb = 3;
    bench.watched.free = ~std::uint64_t{0} - 4095;
    CHECK(bench.start({bench.data, bench.log}) == Error::none);
}

TEST_CASE("a file system that does not count its space is not called full") {
    EarlierRun bench;
    bench.data.initial_size_mb = 3;
    bench.watched.free_space_error = system_error(EOPNOTSUPP);
    CHECK(bench.start({bench.data, bench.log}) == Error::none);
}

TEST_CASE("each file system is counted separately") {
    struct TwoDisks final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        std::error_code status(const std::string& path, ums::FileStatus& status) override {
            const auto error = inner().status(path, status);
            if (path.ends_with("other")) ++status.file_system_id;
            return error;
        }
        std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override {
            free_bytes = (path.ends_with("other") ? 1 : 2) * kMb;
            return {};
        }
    };
    EarlierRun bench;
    TwoDisks disks(bench.posix);
    bench.storage = &disks;
    std::filesystem::create_directory(bench.folder / "other");
    CHECK(bench.start({bench.file("b.mdx", 2), bench.file("other/b.mdx", 1)}) == Error::none);
    CHECK(bench.start({bench.file("c.mdx", 1), bench.file("other/c.mdx", 2)}) == Error::environment);
    CHECK_THAT(bench.message, ContainsSubstring("other/c.mdx: not enough space: 2 MB are needed, 1 MB are free in"));
}

TEST_CASE("deleting a file that has a second name makes no room") {
    EarlierRun bench;
    std::filesystem::create_hard_link(bench.data.path, bench.folder / "kept");
    bench.watched.free = kMb - 65536;
    CHECK(bench.start({bench.data}) == Error::environment);
    bench.check_untouched(bench.data.path);
}

TEST_CASE("two names of one file are reported, whether it exists or not") {
    EarlierRun bench;
    std::filesystem::create_hard_link(bench.data.path, bench.folder / "hard.mdx");
    CHECK(bench.start({bench.data, bench.file("hard.mdx")}) == Error::refused);
    CHECK_THAT(bench.message, ContainsSubstring("hard.mdx: refused: it is the same file as " + bench.data.path));
    std::filesystem::create_directory_symlink(bench.folder.path(), bench.folder / "link");
    CHECK(bench.start({bench.data, bench.file("link/a.mdx")}) == Error::refused);
    CHECK_THAT(bench.message, ContainsSubstring("it is the same file as"));
    for (const char* second : {"link/new.mdx", "./new.mdx"}) {
        CHECK(bench.start({bench.file("new.mdx"), bench.file(second)}) == Error::refused);
        CHECK_THAT(bench.message, ContainsSubstring("it is the same file as"));
        CHECK_THAT(bench.message, ContainsSubstring("Name each file once."));
    }
    sim::FileOptions of_tempdb = bench.data;
    of_tempdb.is_tempdb = true;
    CHECK(bench.start({bench.data, of_tempdb}) == Error::refused);
    CHECK_THAT(bench.message, ContainsSubstring("TempdbUser makes it in its Folder"));
    bench.check_untouched(bench.data.path);
    CHECK_FALSE(exists(bench.folder / "new.mdx"));
}

TEST_CASE("a file of a newer version and one with a damaged first page are refused, each for its own reason") {
    EarlierRun bench;
    const bool is_newer = GENERATE(true, false);
    flip_bits(bench.data.path, is_newer ? offsetof(sim::PageHeader, format) : 5000, std::byte{2});
    CHECK(bench.start({bench.log, bench.data}) == Error::refused);
    CHECK_THAT(bench.message, ContainsSubstring(is_newer ? "is of a newer version of ioproof (page format 3, this one knows 1)"
                                                         : "its first page is damaged"));
    bench.check_untouched(bench.data.path);
    bench.check_untouched(bench.log.path);
    bench.options.overwrite_foreign_files = true;
    CHECK(bench.start({bench.log, bench.data}) == Error::none);
}
