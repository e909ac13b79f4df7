// A failure while a file is created leaves nothing behind.
#include <optional>

#include "sim/files/file_creator.hpp"
#include "tests/sim/support/creator_bench.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

namespace {

// Fails where the test asks for it.
struct Broken final : ums::ForwardingStorage {
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
        if (open_error) return *open_error;
        ums::OpenOptions buffered = how;
        buffered.direct = false;
        const auto error = inner().open(path, buffered, file);
        if (!error) ++open_handles;
        return error;
    }
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& how, ums::FileHandle& again) override {
        if (reopen_error) return *reopen_error;
        ums::OpenOptions buffered = how;
        buffered.direct = false;
        const auto error = inner().reopen(file, buffered, again);
        if (!error) ++open_handles;
        return error;
    }
    void close(ums::FileHandle file) override {
        --open_handles;
        inner().close(file);
    }
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override {
        if (!free) return inner().free_space(path, free_bytes);
        free_bytes = *free;
        return {};
    }
    std::error_code allocate(ums::FileHandle file, std::uint64_t offset, std::uint64_t size_bytes) override {
        if (!allocate_error) return inner().allocate(file, offset, size_bytes);
        static_cast<void>(inner().allocate(file, offset, size_bytes / 2));  // as ext4 and XFS do
        return *allocate_error;
    }
    std::error_code sync(ums::FileHandle file) override { return sync_error ? *sync_error : inner().sync(file); }
    std::error_code sync_name(ums::FileHandle file) override { return sync_name_error ? *sync_name_error : inner().sync_name(file); }
    std::error_code lock(ums::FileHandle file) override { return lock_error ? *lock_error : inner().lock(file); }

    std::optional<std::error_code> open_error;
    std::optional<std::error_code> reopen_error;
    std::optional<std::uint64_t> free;
    std::optional<std::error_code> allocate_error;
    std::optional<std::error_code> sync_error;
    std::optional<std::error_code> sync_name_error;
    std::optional<std::error_code> lock_error;
    int open_handles = 0;
};

struct BrokenBench : CreatorBench {
    Broken broken{posix};
    BrokenBench() { storage = &broken; }
};

}  // namespace

TEST_CASE("if there is not enough space, a run reports how much it needs and creates nothing") {
    CreatorBench bench;
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
    // A log is written with zeros even if it is sparse.
    sparse.path = bench.folder / "d.ldx";
    sparse.is_log = true;
    CHECK_THAT(bench.prepare(sparse).message, ContainsSubstring("not enough space: 3 MB are needed"));
}

TEST_CASE("whatever fails during the start, a created file is removed and every handle is closed") {
    BrokenBench bench;
    Broken& broken = bench.broken;
    const auto check_failure = [&] {
        const Prepared failed = bench.prepare(bench.file("a.mdx"));
        CHECK(failed.error == Error::environment);
        CHECK_THAT(failed.message, ContainsSubstring(bench.folder / "a.mdx"));
        CHECK(bench.names_in_folder() == 0);
        CHECK(broken.open_handles == 0);
    };
    SECTION("the space is gone when it is allocated") {
        broken.allocate_error = system_error(ENOSPC);
        check_failure();
    }
    SECTION("it cannot be made durable") {
        broken.sync_error = system_error(EIO);
        check_failure();
    }
    SECTION("its name cannot be made durable") {
        broken.sync_name_error = system_error(EIO);
        check_failure();
    }
    SECTION("it cannot be opened a second time") {
        broken.reopen_error = system_error(EMFILE);
        check_failure();
    }
    SECTION("it cannot be locked") {
        broken.lock_error = system_error(ENOLCK);
        check_failure();
    }
    SECTION("it cannot be created") {
        broken.open_error = system_error(EROFS);
        check_failure();
    }
}

TEST_CASE("an error of the storage during creation is a finding, a missing permission, space or feature is not") {
    struct Try {
        int error;
        bool is_finding;
    };
    for (const Try& each :
         {Try{EIO, true}, Try{EUCLEAN, true}, Try{EROFS, false}, Try{EACCES, false}, Try{EMFILE, false}, Try{ENXIO, false}}) {
        BrokenBench bench;
        bench.broken.open_error = system_error(each.error);
        const Prepared failed = bench.prepare(bench.file("a.mdx"));
        CHECK(failed.error == Error::environment);
        REQUIRE(failed.findings.size() == (each.is_finding ? 1 : 0));
        if (each.is_finding) CHECK(failed.findings[0].request.of_file == sim::FileRequest::open);
    }
    for (const Try& each : {Try{EIO, true}, Try{ENODEV, true}, Try{ENOSPC, false}, Try{EDQUOT, false}, Try{ENOMEM, false}}) {
        BrokenBench bench;
        bench.broken.sync_error = system_error(each.error);
        const Prepared failed = bench.prepare(bench.file("a.mdx"), 5);
        REQUIRE(failed.findings.size() == (each.is_finding ? 1 : 0));
        if (!each.is_finding) continue;
        CHECK(failed.findings[0].kind == sim::FindingKind::io_error);
        CHECK(failed.findings[0].request.of_file == sim::FileRequest::sync);
        CHECK(failed.findings[0].place.file_id == 5);
        CHECK(or_empty(failed.findings[0].failure).error_code == each.error);
    }
    for (const Try& each : {Try{EIO, true}, Try{ENOSPC, false}, Try{EOPNOTSUPP, false}}) {
        BrokenBench bench;
        bench.broken.allocate_error = system_error(each.error);
        const Prepared failed = bench.prepare(bench.file("a.mdx"));
        CHECK(failed.findings.size() == (each.is_finding ? 1 : 0));
        CHECK((failed.message.find("MB free") != std::string::npos) == (each.error == ENOSPC));
        CHECK((failed.message.find("cannot reserve space for a file (fallocate)") != std::string::npos) == (each.error == EOPNOTSUPP));
    }
}

TEST_CASE("a finding from the creation of a file of backups says in which kind of file it is") {
    BrokenBench bench;
    bench.broken.sync_error = system_error(EIO);
    sim::FileOptions chain = bench.file("a.trn");
    chain.role = sim::FileRole::backup_chain;
    const Prepared failed = bench.prepare(chain);
    REQUIRE(failed.findings.size() == 1);
    CHECK(failed.findings[0].place.role == sim::FileRole::backup_chain);
    CHECK_THAT(failed.findings[0].description, ContainsSubstring("In a backup chain: A sync of the file failed"));
}

TEST_CASE("a folder that must not be written to is reported as such") {
    BrokenBench bench;
    Broken& broken = bench.broken;
    broken.open_error = system_error(EROFS);
    CHECK_THAT(bench.prepare(bench.file("a.mdx")).message, ContainsSubstring("cannot be created: Read-only file system."));
    broken.open_error = system_error(EACCES);
    CHECK_THAT(bench.prepare(bench.file("a.mdx")).message, ContainsSubstring("cannot be created: Permission denied."));
}

TEST_CASE("an old file of ours that cannot be extended keeps its size") {
    BrokenBench bench;
    Broken& broken = bench.broken;
    bench.options.delete_files_at_startup = false;
    const std::string path = bench.folder / "a.mdx";
    make_our_file(path, kMb);
    broken.allocate_error = system_error(ENOSPC);
    CHECK_THAT(bench.prepare(bench.file("a.mdx", 4)).message, ContainsSubstring("cannot be extended: No space left on device."));
    CHECK(size_of_file(path) == kMb);
    CHECK(content(path)[0] == std::byte{1});
    CHECK(broken.open_handles == 0);
}

TEST_CASE("if unbuffered access is refused, the message names the settings, for new and for old files") {
    BrokenBench bench;
    Broken& broken = bench.broken;
    bench.options.no_buffering = true;
    broken.open_error = system_error(EINVAL);
    const Prepared fresh = bench.prepare(bench.file("a.mdx"));
    CHECK(fresh.error == Error::environment);
    CHECK_THAT(fresh.message, ContainsSubstring("refuses unbuffered access (O_DIRECT)"));
    CHECK_THAT(fresh.message, ContainsSubstring("NoBuffering=FALSE"));
    CHECK(bench.names_in_folder() == 0);
    bench.options.delete_files_at_startup = false;
    make_our_file(bench.folder / "old.mdx", kMb);
    const Prepared old = bench.prepare(bench.file("old.mdx"));
    CHECK_THAT(old.message, ContainsSubstring("NoBuffering=FALSE and UseScatterGather=FALSE"));
    CHECK(size_of_file(bench.folder / "old.mdx") == kMb);
}
