// Symbolic links in the path of a test file, under its name, and placed there while a run starts.
#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>
#include <utility>

#include "sim/files/file_creator.hpp"
#include "sim/files/file_names.hpp"
#include "tests/sim/support/creator_bench.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
namespace fs = std::filesystem;

namespace {

const std::string kPrecious(100'000, 'p');

// Calls the test once: between the creation of a file and its locking, or when its preparation is to become durable.
struct Interrupted final : ums::ForwardingStorage {
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
        const auto error = inner().open(path, how, file);
        if (!error && how.create_new && !is_late) std::exchange(interrupt, [] {})();
        return error;
    }
    std::error_code sync(ums::FileHandle file) override {
        if (is_late) std::exchange(interrupt, [] {})();
        return fails_at_end ? system_error(EIO) : inner().sync(file);
    }

    std::function<void()> interrupt = [] {};
    bool is_late = false;
    bool fails_at_end = false;
};

}  // namespace

TEST_CASE("links among the folders are resolved once, and both names are known") {
    CreatorBench bench;
    fs::create_directories(bench.folder / "real/deep");
    fs::create_directory_symlink("real", bench.folder / "first");
    fs::create_directory_symlink(bench.folder / "first/deep", bench.folder / "second");
    const std::string real = fs::canonical(bench.folder.path()) / "real/deep/a.mdx";
    for (const char* name : {"first/deep/a.mdx", "second/a.mdx", "second/../deep/a.mdx"}) {
        const Prepared made = bench.prepare(bench.file(name));
        CHECK(made.message.empty());
        CHECK(made.setup.options.path == real);
        CHECK(made.setup.options.named_as == bench.folder / name);
    }
    const Prepared plain = bench.prepare(bench.file("real/deep/../deep/a.mdx"));
    CHECK(plain.setup.options.path == bench.folder / "real/deep/../deep/a.mdx");
    CHECK(plain.setup.options.named_as.empty());
}

TEST_CASE("a test file that is a symbolic link is refused, whatever the switch, and the link's target is left untouched") {
    CreatorBench bench;
    fs::create_directories(bench.folder / "other");
    const std::string target = bench.folder / "other/real.mdx";
    fs::create_symlink(target, bench.folder / "a.mdx");
    for (const bool overwrite : {false, true}) {
        bench.options.overwrite_foreign_files = overwrite;
        fs::remove(target);
        const Prepared dangling = bench.prepare(bench.file("a.mdx"));
        CHECK(dangling.error == Error::refused);
        CHECK_THAT(dangling.message, ContainsSubstring("it is a symbolic link to " + target + ", which does not exist"));
        CHECK_FALSE(exists(target));
        make_our_file(target, kMb);
        const Prepared refused = bench.prepare(bench.file("a.mdx"));
        CHECK(refused.error == Error::refused);
        CHECK_THAT(refused.message, ContainsSubstring("it is a symbolic link to " + target + "."));
        CHECK(content(target)[0] == std::byte{1});
    }
    CHECK(fs::is_symlink(bench.folder / "a.mdx"));
}

TEST_CASE("a path that leads nowhere or in a circle is reported as such") {
    CreatorBench bench;
    fs::create_symlink("nowhere", bench.folder / "dangling");
    fs::create_symlink("circle", bench.folder / "circle");
    make_file(bench.folder / "file", "x");
    const auto message_for = [&](const std::string& name) {
        const Prepared failed = bench.prepare(bench.file(name));
        CHECK(failed.error == Error::environment);
        return failed.message;
    };
    CHECK_THAT(message_for("dangling/a.mdx"), ContainsSubstring("dangling leads to nowhere, which does not exist"));
    CHECK_THAT(message_for("dangling/deep/a.mdx"), ContainsSubstring("dangling leads to nowhere, which does not exist"));
    CHECK_THAT(message_for("circle/a.mdx"), ContainsSubstring("form a loop"));
    CHECK_THAT(message_for("file/a.mdx"), ContainsSubstring("is not a folder"));
}

TEST_CASE("names that are too long are refused") {
    CreatorBench bench;
    CHECK_THAT(bench.prepare(bench.file(std::string(300, 'x'))).message, ContainsSubstring("the name is too long"));
    CHECK(bench.names_in_folder() == 0);
}

TEST_CASE("a file that takes over the name during creation is neither written to nor removed") {
    CreatorBench bench;
    Interrupted interrupted(bench.posix);
    bench.storage = &interrupted;
    const bool is_link = GENERATE(true, false);
    interrupted.is_late = GENERATE(true, false);
    interrupted.fails_at_end = GENERATE(true, false);
    const std::string precious = bench.folder / "precious";
    make_file(precious, kPrecious);
    interrupted.interrupt = [&] {
        if (is_link) {
            fs::create_symlink(precious, bench.folder / "thing");
        } else {
            fs::create_hard_link(precious, bench.folder / "thing");
        }
        fs::rename(bench.folder / "thing", bench.folder / "a.mdx");
    };
    const Prepared made = bench.prepare(bench.file("a.mdx"));
    CHECK((made.error == Error::none) == (interrupted.is_late && !interrupted.fails_at_end));
    CHECK(test::read_text(precious) == kPrecious);
    CHECK(test::read_text(bench.folder / "a.mdx") == kPrecious);
    CHECK(bench.names_in_folder() == 2);
}

TEST_CASE("a process that keeps renaming files over the test file loses nothing") {
    CreatorBench bench;
    const std::string precious = bench.folder / "precious";
    make_file(precious, kPrecious);
    fs::create_directory(bench.folder / "test");
    const std::string name = bench.folder / "test/a.mdx";
    std::atomic<bool> is_over = false;
    std::thread other([&] {
        const std::string link = bench.folder / "link";
        const std::string hard = bench.folder / "hard";
        std::error_code ignored;
        while (!is_over) {
            fs::create_symlink(precious, link, ignored);
            fs::rename(link, name, ignored);
            fs::create_hard_link(precious, hard, ignored);
            fs::rename(hard, name, ignored);
            fs::remove(name, ignored);
        }
    });
    int begun = 0;
    for (int i = 0; i < 200; ++i) begun += bench.prepare(bench.file("test/a.mdx")).error == Error::none ? 1 : 0;
    is_over = true;
    other.join();
    CHECK(test::read_text(precious) == kPrecious);
    CHECK(begun > 0);
}

TEST_CASE("names are resolved for the start text, and names that cannot be resolved stay as they are") {
    CreatorBench bench;
    fs::create_directory(bench.folder / "real");
    fs::create_directory_symlink("real", bench.folder / "link");
    std::vector<sim::FileOptions> files{bench.file("link/a.mdx"), bench.file("nowhere/b.mdx")};
    sim::resolve_names(files, false, bench.posix);
    CHECK(files[0].path == (fs::canonical(bench.folder / "real") / "a.mdx").string());
    CHECK(files[0].named_as == bench.folder / "link/a.mdx");
    CHECK(files[1].path == bench.folder / "nowhere/b.mdx");
    CHECK(files[1].named_as.empty());
}
