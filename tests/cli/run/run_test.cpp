// Runs that complete.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;
using test::Process;

TEST_CASE("a short run on small files passes, with the summary on standard output and a well-formed log") {
    const IoproofFolder folder;
    const auto run = folder.start_run("2");
    const int code = run->wait();
    INFO(run->output() << run->error());
    CHECK(code == 0);
    CHECK_THAT(run->output(), ContainsSubstring("********** Final Summary for file data/sqliosim.mdx **********\n"));
    CHECK_THAT(run->output(), ContainsSubstring("********** Final Summary for file data/sqliosim.ldx **********\n"));
    CHECK_THAT(run->output(), ContainsSubstring("PASS: "));
    CHECK(folder.log_error().empty());
    const std::string log = folder.read("sqliosim.log.xml");
    CHECK_THAT(log, ContainsSubstring("<EXTENDED_DESCRIPTION>Target IO Duration (ms) = 100, Running Average IO Duration (ms) = "));
    CHECK_THAT(log, !ContainsSubstring("TYPE='ERROR'"));
    CHECK(std::filesystem::exists(folder.data_file()));
    CHECK(std::filesystem::exists(folder.log_file()));
}

TEST_CASE("the start says the seed, the engine, the files, the space, and the command that repeats the run") {
    const IoproofFolder folder;
    const auto run = folder.start_run("1", {"--seed", "4711", "--engine", "threads"});
    CHECK(run->wait() == 0);
    const std::string output = run->output();
    INFO(output << run->error());
    CHECK_THAT(output, ContainsSubstring("seed           4711\n"));
    CHECK_THAT(output, ContainsSubstring("engine         threads"));
    CHECK_THAT(output, ContainsSubstring("data/sqliosim.mdx  data  4 MB, up to 8 MB\n"));
    CHECK_THAT(output, ContainsSubstring("up to 8 MB data + 4 MB log\n"));
    CHECK_THAT(output, ContainsSubstring(" run -dir data -size 4 -d 1 --engine threads --seed 4711\n"));
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring("seed: 4711"));
}

TEST_CASE("the pool is a quarter of the data files unless MaxMemoryMB is set") {
    const IoproofFolder folder;
    const auto run = folder.start({"run", "-dir", "data", "-size", "64", "-d", "3", "--ephemeral"});
    CHECK(run->wait() == 0);
    INFO(run->output() << run->error());
    CHECK_THAT(run->output(), ContainsSubstring("buffer pool    16 MB"));
}

TEST_CASE("a configuration's replica is created beside the data file of -dir, and is its snapshot") {
    const IoproofFolder folder;
    folder.write("replica.ini",
                 "[File1]\nFileName=f:\\sqliosim.mdx\nInitialSize=10\nMaxSize=10\n"
                 "[File2]\nFileName=f:\\sqliosim.ldx\nInitialSize=10\nMaxSize=10\nLogFile=TRUE\n"
                 "[File3]\nFileName=f:\\sqliosim.mdx:replica\nInitialSize=10\nMaxSize=10\nSparse=TRUE\n");
    const auto run = folder.start_run("2", {"-cfg", "replica.ini"});
    CHECK(run->wait() == 0);
    INFO(run->output() << run->error());
    CHECK(std::filesystem::exists(folder.data() / "sqliosim.mdx:replica"));
    CHECK_THAT(run->output(), ContainsSubstring("Snapshot"));
    CHECK_THAT(run->output(), ContainsSubstring("PASS: "));
}

TEST_CASE("without --seed every run draws a new seed") {
    const IoproofFolder folder;
    std::vector<std::string> seeds;
    for (int i = 0; i < 2; ++i) {
        const auto run = folder.start_run("1");
        CHECK(run->wait() == 0);
        const std::string output = run->output();
        const std::size_t begin = output.find("--seed ");
        REQUIRE(begin != std::string::npos);
        seeds.push_back(output.substr(begin, output.find('\n', begin) - begin));
    }
    CHECK(seeds[0] != seeds[1]);
}

TEST_CASE("ephemeral files are gone after the run") {
    const IoproofFolder folder;
    const auto run = folder.start_run("1", {"--ephemeral"});
    CHECK(run->wait() == 0);
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("without a terminal progress is printed as plain lines, unless it is switched off") {
    const IoproofFolder folder;
    const auto shown = folder.start_run("2");
    CHECK(shown->wait() == 0);
    CHECK_THAT(shown->error(), ContainsSubstring("main run, ") && ContainsSubstring(" IO/s, "));
    CHECK_THAT(shown->error(), !ContainsSubstring("\r") && !ContainsSubstring("\x1b"));
    const auto hidden = folder.start_run("2", {"--no-progress"});
    CHECK(hidden->wait() == 0);
    CHECK_THAT(hidden->error(), !ContainsSubstring(" IO/s, "));
}

TEST_CASE("a quiet run prints only the report") {
    const IoproofFolder folder;
    const auto run = folder.start_run("2", {"--quiet"});
    CHECK(run->wait() == 0);
    CHECK(run->error().empty());
    CHECK_THAT(run->output(), !ContainsSubstring("repeat with") && ContainsSubstring("Final Summary") && ContainsSubstring("PASS: "));
}

TEST_CASE("a configuration is saved and shown, and has the same effect when it is read again") {
    const IoproofFolder folder;
    const auto first = folder.start_run("1", {"-save", "saved.ini", "-log", "first.xml"});
    CHECK(first->wait() == 0);
    CHECK_THAT(folder.read("saved.ini"), ContainsSubstring("FileName=data/sqliosim.mdx"));
    const auto shown = folder.start({"config", "show", "-cfg", "saved.ini"});
    CHECK(shown->wait() == 0);
    CHECK(shown->output() == folder.read("saved.ini"));
    const auto second = folder.start({"run", "-cfg", "saved.ini"});
    CHECK(second->wait() == 0);
    CHECK_THAT(second->output(), ContainsSubstring("data/sqliosim.mdx  data  4 MB, up to 8 MB\n"));
    CHECK(folder.log_error("first.xml").empty());
}

TEST_CASE("without files, -save writes a configuration to start from, which does not count as a successful run") {
    const IoproofFolder folder;
    const auto save = folder.start({"run", "-save", "start.ini", "-d", "77"});
    CHECK(save->wait() == 2);
    CHECK_THAT(save->error(), ContainsSubstring("no file is named") && ContainsSubstring("start.ini has been written"));
    CHECK_THAT(folder.read("start.ini"), ContainsSubstring("TestCycleDuration=77") && ContainsSubstring("[RandomUser]"));
    const auto run = folder.start({"run", "-cfg", "start.ini", "-dir", "data", "-size", "4", "-d", "1"});
    CHECK(run->wait() == 0);
    const auto wrong = folder.start({"run", "-cfg", "start.ini", "-save", "second.ini", "-d", "0"});
    CHECK(wrong->wait() == 2);
    CHECK_FALSE(folder.has("second.ini"));
}

TEST_CASE("a configuration that cannot be run also shows its warnings") {
    const IoproofFolder folder;
    const std::string warning = "warning: typo.ini:2: TestCycleDuratio: unknown key, ignored; did you mean TestCycleDuration?\n";
    folder.write("typo.ini", "[CONFIG]\nTestCycleDuratio=10\n");
    const auto run = folder.start({"run", "-cfg", "typo.ini"});
    CHECK(run->wait() == 2);
    CHECK_THAT(run->error(), ContainsSubstring(warning + "ioproof: typo.ini: no file is named"));
    const auto save = folder.start({"run", "-cfg", "typo.ini", "-save", "saved.ini"});
    CHECK(save->wait() == 2);
    CHECK_THAT(save->error(), ContainsSubstring(warning) && ContainsSubstring("saved.ini has been written"));
}

TEST_CASE("the switch -save writes a pool that is too large for this machine as it was asked for") {
    const IoproofFolder folder;
    folder.write("large.ini", "[CONFIG]\nMaxMemoryMB=16777216\n");
    const auto save = folder.start({"run", "-cfg", "large.ini", "-save", "saved.ini"});
    CHECK(save->wait() == 2);  // no file to test is named
    CHECK_THAT(folder.read("saved.ini"), ContainsSubstring("MaxMemoryMB=16777216\n"));
}

TEST_CASE("sqliosim.cfg.ini in the current folder is read if no other file is named") {
    const IoproofFolder folder;
    folder.write("sqliosim.cfg.ini", "[CONFIG]\r\nErrorFile=own.xml\r\nTestCycleDuration=1\r\n");
    const auto run = folder.start({"run", "-dir", "data", "-size", "4"});
    CHECK(run->wait() == 0);
    CHECK_THAT(run->output(), ContainsSubstring("configuration  sqliosim.cfg.ini\n"));
    CHECK(folder.log_error("own.xml").empty());
}

TEST_CASE("two folders get a pair of files each") {
    const IoproofFolder folder;
    std::filesystem::create_directory(folder.path() / "more");
    const auto run = folder.start_run("1", {"-dir", "more"});
    CHECK(run->wait() == 0);
    CHECK_THAT(run->output(), ContainsSubstring("Final Summary for file more/sqliosim.ldx"));
    CHECK(folder.has("more/sqliosim.mdx"));
}

TEST_CASE("called through a link named sqliosim, it takes only switches and ends with SQLIOSIM.COM's lines") {
    const IoproofFolder folder;
    std::filesystem::create_symlink(IOPROOF_PROGRAM, folder.path() / "SQLIOSim.com");
    Process run({(folder.path() / "SQLIOSim.com").string(), "-dir", "data", "-size", "4", "-d", "1"}, folder.path());
    CHECK(run.wait() == 0);
    const std::string output = run.output();
    INFO(output << run.error());
    CHECK(run.error().empty());
    CHECK_THAT(output, ContainsSubstring(" Monitor seed: "));
    CHECK_THAT(output, ContainsSubstring("\n********** Final Summary for file data/sqliosim.mdx **********\nFile Attributes: "));
    CHECK_THAT(output, ContainsSubstring("\nStress Test Attempt Complete\nPASS: "));
    CHECK(folder.log_error().empty());
}

TEST_CASE("a reader that goes away does not end the run") {
    const IoproofFolder folder;
    Process shell(
        {"/bin/sh", "-c", std::string("{ '") + IOPROOF_PROGRAM + "' run -dir data -size 4 -d 1; echo $? > code; } 2>&1 | head -n 1"},
        folder.path());
    shell.wait();
    CHECK(folder.read("code") == "0\n");
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring("Stress Test Attempt Complete"));
    CHECK(folder.log_error().empty());
}

TEST_CASE("pages that are damaged on the disk during the run are found: exit code 1, TYPE='ERROR'") {
    const IoproofFolder folder;
    const auto run = folder.start_run("30");
    REQUIRE(run->says("main run, "));
    // Direct, like the run's writes: a cached write beside them would make the kernel fail the direct ones.
    const int file = ::open(folder.data_file().c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
    REQUIRE(file >= 0);
    // Repeatedly, because the run overwrites its pages.
    alignas(4096) static const std::array<char, 4096> kDamage{'d', 'a', 'm', 'a', 'g', 'e'};
    while (!run->says("FINDING", std::chrono::seconds(0)) && run->is_running()) {
        for (off_t page = 8; page < 128; ++page) {
            if (::pwrite(file, kDamage.data(), kDamage.size(), page * 8192 + 4096) < 0) break;
        }
    }
    ::close(file);
    CHECK(run->wait() == 1);
    CHECK_THAT(run->output(), ContainsSubstring("FAIL: "));
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring("TYPE='ERROR'") && ContainsSubstring("Buffer validation failed on"));
    CHECK(folder.log_error().empty());
}
