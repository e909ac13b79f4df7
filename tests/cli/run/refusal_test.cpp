// Runs that do not begin: they have the right exit code and a message, and touch nothing.
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using test::IoproofFolder;
using test::Process;

namespace {

const std::string kForeign(100'000, 'F');

// A configuration with one data file of this name.
std::string configuration_with(const std::string& data_file) {
    return "[CONFIG]\nTestCycleDuration=1\n[File1]\nFileName=" + data_file +
           "\nInitialSize=4\nMaxSize=8\nIncrement=1\n[File2]\nFileName=data/own.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n";
}

}  // namespace

TEST_CASE("a foreign file is refused and left as it is, unless overridden") {
    const IoproofFolder folder;
    folder.write("data/sqliosim.mdx", kForeign);
    const auto refused = folder.start_run("1");
    CHECK(refused->wait() == 2);
    CHECK_THAT(refused->error(), ContainsSubstring("data/sqliosim.mdx") && ContainsSubstring("--overwrite-foreign-files"));
    CHECK(folder.read("data/sqliosim.mdx") == kForeign);
    CHECK(test::names_in(folder.data()) == std::vector<std::string>{"sqliosim.mdx"});
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring("TYPE='ERROR'"));
    CHECK(folder.log_error().empty());
    const auto forced = folder.start_run("1", {"--overwrite-foreign-files"});
    CHECK(forced->wait() == 0);
}

TEST_CASE("names of real database files are refused, existing or not") {
    const std::string name = GENERATE("data/a.mdf", "data/a.NDF", "data/a.ldf");
    const bool exists = GENERATE(false, true);
    const IoproofFolder folder;
    folder.write("mine.ini", configuration_with(name));
    if (exists) folder.write(name, kForeign);
    const auto run = folder.start({"run", "-cfg", "mine.ini"});
    CHECK(run->wait() == 2);
    CHECK_THAT(run->error(), ContainsSubstring(name));
    CHECK(folder.has(name) == exists);
    if (exists) CHECK(folder.read(name) == kForeign);
}

TEST_CASE("a second run on the same files is refused while the first one works, and does not disturb it") {
    const IoproofFolder folder;
    const auto first = folder.start_run("3");
    REQUIRE(first->says("main run, "));
    const auto other_log = folder.start_run("1", {"-log", "second.xml"});
    CHECK(other_log->wait() == 3);
    CHECK_THAT(other_log->error(), ContainsSubstring("sqliosim.mdx") && ContainsSubstring("in use"));
    const auto same_log = folder.start_run("1");
    CHECK(same_log->wait() == 3);
    CHECK_THAT(same_log->error(), ContainsSubstring("sqliosim.log.xml") && ContainsSubstring("another run"));
    CHECK(first->wait() == 0);
}

TEST_CASE("a missing folder is an environment error") {
    const IoproofFolder folder;
    const auto run = folder.start({"run", "-dir", "nowhere", "-size", "4", "-d", "1"});
    CHECK(run->wait() == 3);
    CHECK_THAT(run->error(), ContainsSubstring("nowhere"));
    CHECK_FALSE(folder.has("nowhere"));
}

TEST_CASE("a folder in which no files can be created is an environment error") {
    const IoproofFolder folder;
    std::string read_only = "data";
    if (::geteuid() == 0) {
        read_only = "/proc";  // the one place where root may not write
    } else {
        std::filesystem::permissions(folder.data(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    }
    const auto run = folder.start({"run", "-dir", read_only, "-size", "4", "-d", "1"});
    CHECK(run->wait() == 3);
    CHECK_THAT(run->error(), ContainsSubstring(read_only + "/sqliosim."));
    std::filesystem::permissions(folder.data(), std::filesystem::perms::owner_all);
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("naming no file is wrong usage, and the message says how to name one") {
    const IoproofFolder folder;
    const auto run = folder.start({"run"});
    CHECK(run->wait() == 2);
    CHECK_THAT(run->error(), ContainsSubstring("-dir"));
    CHECK(run->output().empty());
}

TEST_CASE("a file larger than allowed (ulimit -f) counts as no space: exit code 3 and no partial files") {
    const IoproofFolder folder;
    Process run({"/bin/sh", "-c", std::string("ulimit -f 4096; exec '") + IOPROOF_PROGRAM + "' run -dir data -size 64 -d 1"},
                folder.path());
    CHECK(run.wait() == 3);
    CHECK_THAT(run.error(), ContainsSubstring("sqliosim.mdx"));
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("too little memory is an environment error that says what to change, and leaves no files") {
    if (test::kIsSanitized) {
        WARN("not tried: a sanitizer's own memory is more than the limit");
        return;
    }
    const IoproofFolder folder;
    Process run({"/bin/sh", "-c", std::string("ulimit -v 300000; exec '") + IOPROOF_PROGRAM + "' run -dir data -size 400 -d 1"},
                folder.path());
    CHECK(run.wait() == 3);
    CHECK_THAT(run.error(), ContainsSubstring("MaxMemoryMB"));
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("a file system that is too small: exit code 3 and no partial files") {
    const IoproofFolder folder;
    if (::mount("tmpfs", folder.data().c_str(), "tmpfs", 0, "size=16m") != 0) {
        WARN("cannot mount a small file system here; asking for more than any file system has instead");
        const auto run = folder.start({"run", "-dir", "data", "-size", "30000000", "-d", "1"});
        CHECK(run->wait() == 3);
        CHECK(test::names_in(folder.data()).empty());
        return;
    }
    const auto run = folder.start({"run", "-dir", "data", "-size", "64", "-d", "1"});
    CHECK(run->wait() == 3);
    CHECK_THAT(run->error(), ContainsSubstring("space"));
    CHECK(test::names_in(folder.data()).empty());
    CHECK(::umount(folder.data().c_str()) == 0);
}

TEST_CASE("a log that cannot be written ends the run before any file is created") {
    const IoproofFolder folder;
    const auto missing = folder.start_run("1", {"-log", "nowhere/log.xml"});
    CHECK(missing->wait() == 3);
    CHECK_THAT(missing->error(), ContainsSubstring("nowhere/log.xml"));
    folder.write("letter.txt", kForeign);
    const auto foreign = folder.start_run("1", {"-log", "letter.txt"});
    CHECK(foreign->wait() == 2);
    CHECK(folder.read("letter.txt") == kForeign);
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("errors in switches and configuration give exit code 2, one line each, and nothing on standard output") {
    const IoproofFolder folder;
    folder.write("wrong.ini", "[CONFIG]\nCacheHitRatio=10001\nTestCycles=many\n");
    const std::vector<std::vector<std::string>> mistakes{
        {},
        {"run", "-d", "soon"},
        {"run", "-cfg", "missing.ini", "-dir", "data"},
        {"run", "-cfg", "wrong.ini", "-dir", "data"},
        {"config", "explain", "NoSuchParameter"},
    };
    for (const auto& words : mistakes) {
        const auto run = folder.start(words);
        CHECK(run->wait() == 2);
        CHECK(run->output().empty());
        CHECK_THAT(run->error(), ContainsSubstring("ioproof: "));
        CHECK_THAT(run->error(), !ContainsSubstring("internal error"));
    }
    const auto both = folder.start(mistakes[3]);
    both->wait();
    CHECK_THAT(both->error(), ContainsSubstring("10001") && ContainsSubstring("many") && ContainsSubstring("wrong.ini"));
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("help, version and explanations go to standard output with exit code 0") {
    const IoproofFolder folder;
    const std::vector<std::vector<std::string>> questions{
        {"--help"}, {"--version"}, {"run", "--help"}, {"config", "explain"}, {"config", "explain", "CacheHitRatio"}};
    for (const auto& words : questions) {
        const auto run = folder.start(words);
        CHECK(run->wait() == 0);
        CHECK_FALSE(run->output().empty());
        CHECK(run->error().empty());
    }
    CHECK(test::names_in(folder.path()) == std::vector<std::string>{"data"});
}

TEST_CASE("an empty argument, as a variable without a value leaves it, is wrong usage that says so") {
    const IoproofFolder folder;
    const std::vector<std::vector<std::string>> calls{{"bench", ""},  {"sweep", ""},        {"preflight", ""},
                                                      {"report", ""}, {"compare", "a", ""}, {"run", ""}};
    for (const std::vector<std::string>& words : calls) {
        CAPTURE(words);
        const auto call = folder.start(words);
        CHECK(call->wait() == 2);
        CHECK_THAT(call->error(), ContainsSubstring("an argument is empty"));
    }
}
