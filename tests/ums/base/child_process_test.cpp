#include "ums/base/child_process.hpp"

#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "ums/base/output_place.hpp"

namespace {

constexpr int kTries = 1000;

// Waits for at most 10 s; -1 if the child is still running then.
int code_of(ums::ChildProcess& child) {
    for (int i = 0; i < kTries && !child.exit_code(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return child.exit_code().value_or(-1);
}

ums::ChildStart shell(const test::TempFolder& folder, const std::string& command) {
    return {.program = "/bin/sh",
            .words = {"sh", "-c", command},
            .folder = folder.path().string(),
            .output_path = (folder.path() / "said").string()};
}

}  // namespace

TEST_CASE("a child runs in its folder, writes its output there, and ends with its exit code") {
    const test::TempFolder folder;
    ums::ChildProcess child(shell(folder, "pwd; echo the last word; exit 7"));
    CHECK(code_of(child) == 7);
    CHECK(ums::last_line((folder.path() / "said").string()) == "the last word");
    CHECK_THAT(test::read_text(folder.path() / "said"), ContainsSubstring(folder.path().filename().string()));
}

TEST_CASE("a child does not start if its output would go through a link, or into a pipe without a reader") {
    const test::TempFolder folder;
    const auto precious = folder.path() / "precious";
    const auto said = folder.path() / "said";
    std::ofstream(precious) << "data" << std::flush;
    SECTION("a link") { std::filesystem::create_symlink(precious, said); }
    SECTION("a pipe") {
        REQUIRE(::mkfifo(said.c_str(), 0600) == 0);
        CHECK(ums::last_line(said.string()).empty());
    }
    std::fflush(nullptr);
    ums::ChildProcess child(shell(folder, "echo new"));
    CHECK(code_of(child) == 127);
    CHECK(test::read_text(precious) == "data");
}

TEST_CASE("a child that cannot be started has an exit code that tells this") {
    const test::TempFolder folder;
    std::fflush(nullptr);  // ThreadSanitizer's _exit writes out what the parent's stdout still buffers
    ums::ChildProcess child(
        {.program = "/no/such/program", .words = {"x"}, .folder = "/", .output_path = (folder.path() / "said").string()});
    CHECK(code_of(child) == 127);
    CHECK(ums::last_line((folder.path() / "said").string()).empty());
}

TEST_CASE("how a child has ended is known even if this process was started with SIGCHLD ignored") {
    const test::TempFolder folder;
    const auto handled_before = std::signal(SIGCHLD, SIG_IGN);
    ums::ChildProcess child(shell(folder, "exit 7"));
    CHECK(code_of(child) == 7);
    std::signal(SIGCHLD, handled_before);
}

TEST_CASE("a child is killed together with everything it has started") {
    const test::TempFolder folder;
    ums::ChildProcess child(shell(folder, "sleep 100 & sleep 100"));
    CHECK_FALSE(child.exit_code());
    child.kill();
    CHECK(code_of(child) == 128 + SIGKILL);
    int left = 0;
    for (int i = 0; i < kTries && (left = ::kill(-child.id(), 0)) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(left == -1);
}

TEST_CASE("a file that stays open in a child keeps its lock until the child has ended") {
    const test::TempFolder folder;
    const std::string path = (folder.path() / "lock").string();
    ums::OutputHandle lock;
    REQUIRE_FALSE(ums::create_output(path, ums::OutputAccess::everyone, lock));
    REQUIRE(lock.lock());
    ums::ChildStart start = shell(folder, "sleep 100");
    start.stays_open = &lock;
    ums::ChildProcess child(start);
    ums::OutputHandle other;
    REQUIRE_FALSE(ums::open_existing_output(path, other));
    // The child is running once its output file exists.
    for (int i = 0; i < kTries && !ums::is_name_taken(start.output_path); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE_FALSE(lock.close());
    CHECK_FALSE(other.lock());
    child.kill();
    CHECK(code_of(child) == 128 + SIGKILL);
    bool is_free = other.lock();
    for (int i = 0; i < kTries && !is_free; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        is_free = other.lock();
    }
    CHECK(is_free);
}
