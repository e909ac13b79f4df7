// What the program writes besides its test files: foreign files stay, two outputs are never one file, and lost output is reported.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;
using test::Process;

namespace {

namespace fs = std::filesystem;

// Runs a line of shell in the folder; "$P" is the program.
std::unique_ptr<Process> start_shell(const IoproofFolder& folder, const std::string& line) {
    return std::make_unique<Process>(std::vector<std::string>{"/bin/sh", "-c", "P=" IOPROOF_PROGRAM "; " + line}, folder.path());
}

// Everything in the folder and its folder of data.
std::vector<std::string> all_names(const IoproofFolder& folder) {
    std::vector<std::string> names = test::names_in(folder.path());
    for (const std::string& name : test::names_in(folder.data())) names.push_back("data/" + name);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

TEST_CASE("no switch that writes a file accepts a foreign file, a database's name, or a link to one, and nothing is touched") {
    const std::string option = GENERATE("-save", "-log", "--findings", "--json", "--html");
    const IoproofFolder folder;
    folder.write("mine", "my thesis\n");
    folder.write("prod.mdf", "");
    fs::create_symlink("mine", folder.path() / "link");
    fs::create_symlink("nowhere", folder.path() / "dangling");
    folder.write("old.xml", "<?xml version='1.0'?><ERRORLOG>kept</ERRORLOG>");
    const std::vector<std::string> before = all_names(folder);
    for (const std::string name : {"mine", "prod.mdf", "new.LDF", "link", "dangling", "data"}) {
        std::vector<std::string> words{option, name};
        if (option != "-log") words.insert(words.end(), {"-log", "old.xml"});
        const auto run = folder.start_run("1", words);
        INFO(option << " " << name);
        CHECK(run->wait() == 2);
        CHECK_THAT(run->error(), ContainsSubstring("'" + name + "': "));
        CHECK(all_names(folder) == before);
        CHECK(folder.read("mine") == "my thesis\n");
        CHECK_THAT(folder.read("old.xml"), ContainsSubstring("kept"));
    }
}

TEST_CASE("a file of size 0 that has contents does not count as empty") {
    const IoproofFolder folder;
    for (const char* option : {"-save", "-log", "--findings", "--json", "--html"}) {
        const auto run = folder.start_run("1", {option, "/proc/version"});
        INFO(option);
        const int code = run->wait();
        CHECK((code == 2 || code == 3));  // 3 for ordinary users, who may not write there
        CHECK(test::names_in(folder.data()).empty());
    }
}

TEST_CASE("the switch -save replaces only files that -save wrote") {
    const IoproofFolder folder;
    folder.write("mine.ini", "; my own\n[CONFIG]\n");
    const auto refused = folder.start({"run", "-save", "mine.ini"});
    CHECK(refused->wait() == 2);
    CHECK_THAT(refused->error(), ContainsSubstring("configuration 'mine.ini': it exists and was not written by -save. Name another file"));
    CHECK(folder.read("mine.ini") == "; my own\n[CONFIG]\n");
    for (const char* seconds : {"7", "8"}) {
        CHECK(folder.start({"run", "-save", "saved.ini", "-d", seconds})->wait() == 2);  // no file to test is named
        CHECK_THAT(folder.read("saved.ini"), ContainsSubstring(std::string("TestCycleDuration=") + seconds));
    }
}

TEST_CASE("the switch -save writes to /dev/stdout and to harmless devices") {
    const IoproofFolder folder;
    const auto saved = start_shell(folder, "$P run -save /dev/stdout -d 7 | cat > out");
    CHECK(saved->wait() == 0);
    CHECK_THAT(folder.read("out"), ContainsSubstring("TestCycleDuration=7"));
    const auto to_null = folder.start({"run", "-save", "/dev/null", "-d", "7"});
    CHECK(to_null->wait() == 2);  // no file to test is named
    CHECK_THAT(to_null->error(), !ContainsSubstring("'/dev/null'"));
    const auto to_full = folder.start({"run", "-save", "/dev/full", "-d", "7"});
    CHECK(to_full->wait() != 0);
    CHECK_THAT(to_full->error(), ContainsSubstring("/dev/full") && ContainsSubstring("No space left on device"));
}

TEST_CASE("no output goes to a file called '-', and the message says how to name the standard output") {
    const IoproofFolder folder;
    const std::vector<std::string> before = all_names(folder);
    const std::vector<std::vector<std::string>> cases{{"run", "-dir", "data", "-size", "4", "-d", "1", "--json", "-"},
                                                      {"run", "-dir", "data", "-size", "4", "-d", "1", "--findings", "-"},
                                                      {"bench", "data/new", "--csv", "-"},
                                                      {"bench", "data/new", "--html", "-"},
                                                      {"sweep", "data/new", "--csv", "-"}};
    for (const std::vector<std::string>& words : cases) {
        const auto run = folder.start(words);
        CAPTURE(words);
        CHECK(run->wait() == 2);
        CHECK_THAT(run->error(), ContainsSubstring(words[words.size() - 2]) && ContainsSubstring("name one, or /dev/stdout"));
        CHECK(all_names(folder) == before);
    }
}

TEST_CASE("two switches that name the same file, however spelled, are an error, and nothing is touched") {
    const IoproofFolder folder;
    folder.write("a.json", "{\"program\":\"ioproof\"}");
    fs::create_hard_link(folder.path() / "a.json", folder.path() / "hard.json");
    fs::create_symlink("a.json", folder.path() / "soft.json");
    fs::create_directory_symlink(".", folder.path() / "here");
    folder.write("c.ini", "[CONFIG]\n");
    folder.write("more.ini", "[TempdbUser]\nUserCount=1\nFileCount=1\nFileSize=4\n[BackupUser]\nBackupFolder=data\nRestoreFolder=data\n");
    const std::vector<std::string> before = all_names(folder);
    const std::vector<std::vector<std::string>> cases{
        {"--json", "new", "--html", "./new"},
        {"--json", "new", "--html", "data/../new"},
        {"--json", "here/new", "--html", "new"},
        {"--json", "a.json", "--html", "hard.json"},
        {"--json", "soft.json", "--html", "a.json"},
        {"--json", "x", "--findings", (folder.path() / "x").string()},
        {"--html", "x", "-log", "here/x"},
        {"-save", "x", "--json", "x"},
        {"-save", "./c.ini", "-cfg", "c.ini"},
        {"--json", "sqliosim.log.xml"},
        {"--json", "data/sqliosim.mdx"},
        {"--findings", "here/data/sqliosim.ldx"},
        {"--html", "ErrorLog.xslt"},
        {"-cfg", "more.ini", "--json", "here/data/tempdb1.mdx"},
        {"-cfg", "more.ini", "--html", "data/ioproof_backup_1.bak"},
        {"-cfg", "more.ini", "-log", "data/restored_1_sqliosim.mdx"},
    };
    for (const std::vector<std::string>& words : cases) {
        const auto run = folder.start_run("1", words);
        CAPTURE(words);
        CHECK(run->wait() == 2);
        CHECK_THAT(run->error(), ContainsSubstring("are the same file; give each a name of its own"));
        CHECK(all_names(folder) == before);
    }
    CHECK(folder.start({"report", "a.json", "--html", "soft.json"})->wait() == 2);
    CHECK(folder.start({"bench", "data/new", "--json", "here/data/new"})->wait() == 2);
    CHECK(all_names(folder) == before);
}

TEST_CASE("files of the run do not take the descriptors of closed standard streams") {
    const IoproofFolder folder;
    const auto run = start_shell(folder, "$P run -dir data -size 4 -d 1 --findings f.jsonl --json r.json <&- >&- 2>&-");
    CHECK(run->wait() == 0);
    CHECK(folder.read("f.jsonl").empty());
    CHECK(folder.log_error().empty());
    CHECK(folder.read("r.json").front() == '{');
    CHECK(folder.start({"report", "r.json"})->wait() == 0);
}

TEST_CASE("if standard output cannot be written, standard error says so and the exit code is not 0") {
    const IoproofFolder folder;
    REQUIRE(folder.start_run("1", {"--json", "r.json"})->wait() == 0);
    for (const std::string command :
         {"--help", "--version", "--generate ioproof.1", "run --help", "config explain", "config show -dir data", "report r.json",
          "compare r.json r.json", "preflight data --json -", "rehearse --seeds 1 --fault none", "bench null: --verify=off --seconds 1",
          "run -dir data -size 4 -d 1"}) {
        const auto process = start_shell(folder, "$P " + command + " >/dev/full");
        INFO(command);
        const int code = process->wait();
        CHECK((code == 3 || (code == 1 && command.starts_with("preflight"))));
        CHECK_THAT(process->error(), ContainsSubstring("standard output: No space left on device"));
    }
    folder.write("z.dat", std::string(4 << 20, '\0'));
    for (const std::string command : {"diskspd -d1 -W0 -b8K z.dat", "sqlio -s1 z.dat", "diskspd '-?'"}) {
        INFO(command);
        CHECK(start_shell(folder, "$P " + command + " >/dev/full")->wait() == 1);  // 3 is wrong usage there
    }
    CHECK(start_shell(folder, "$P run -dir nowhere >/dev/full")->wait() == 3);
    CHECK(start_shell(folder, "$P run --wrong >/dev/full")->wait() == 2);
}

TEST_CASE("a reader of the output that goes away is not a failure") {
    const IoproofFolder folder;
    const auto process = start_shell(folder, "{ $P config explain; echo code $? >&2; } | head -1");
    CHECK(process->wait() == 0);
    CHECK_THAT(process->error(), ContainsSubstring("code 0") && !ContainsSubstring("standard output"));
}

TEST_CASE("a document can be written to /dev/stdout as a pipe and as a file, and /dev stays as it is") {
    const IoproofFolder folder;
    const bool to_pipe = GENERATE(false, true);
    const std::string where = to_pipe ? "| cat > out" : "> out";
    const auto run = start_shell(folder, "$P run -dir data -size 4 -d 1 -q --json /dev/stdout " + where);
    CHECK(run->wait() == 0);
    CHECK_THAT(folder.read("out"), ContainsSubstring("\"program\":\"ioproof\"") && ContainsSubstring("PASS: "));
    CHECK(fs::is_symlink("/dev/stdout"));
    const auto log = start_shell(folder, "$P run -dir data -size 4 -d 1 > sqliosim.log.xml");
    CHECK(log->wait() == 2);
    CHECK_THAT(log->error(), ContainsSubstring("the standard output goes there"));
}

TEST_CASE("an output that could not be written turns exit code 0 into 3") {
    const IoproofFolder folder;
    SECTION("a document") {
        const auto run = folder.start_run("1", {"--html", "/dev/full"});
        CHECK(run->wait() == 3);
        CHECK_THAT(run->error(), ContainsSubstring("HTML file '/dev/full': could not be written: No space left on device"));
        CHECK_THAT(run->output(), ContainsSubstring("PASS: "));
    }
    SECTION("the log") {
        REQUIRE(folder.start_run("1")->wait() == 0);
        fs::remove(folder.path() / "sqliosim.log.xml");
        const auto run = start_shell(folder,
                                     "mkdir small && mount -t tmpfs -o size=12k none small 2>/dev/null || exit 77; "
                                     "$P run -dir data -size 4 -d 1 -log small/l.xml; code=$?; umount small; exit $code");
        const int code = run->wait();
        if (code == 77) {
            WARN("mounting a small file system is not allowed here");
            return;
        }
        CHECK(code == 3);
        CHECK_THAT(run->error(), ContainsSubstring("log file 'small/l.xml'") && ContainsSubstring("No space left on device"));
    }
    SECTION("results that need more room than what the run wrote when it began") {
        const auto run = start_shell(folder,
                                     "mkdir small && mount -t tmpfs -o size=24k none small 2>/dev/null || exit 77; "
                                     "$P run -dir data -size 4 -d 1 --json small/r.json; code=$?; cp small/r.json .; umount small; "
                                     "exit $code");
        const int code = run->wait();
        if (code == 77) {
            WARN("mounting a small file system is not allowed here");
            return;
        }
        CHECK(code == 3);
        CHECK_THAT(run->error(), ContainsSubstring("JSON file 'small/r.json': could not be written: No space left on device"));
        const std::string kept = folder.read("r.json");
        CHECK_THAT(kept, ContainsSubstring("\"unfinished\":true") && ContainsSubstring("its results could not be written (a full disk)"));
        CHECK_THAT(kept, !ContainsSubstring("has not reached its end"));
    }
}

TEST_CASE("a run whose log cannot be where it is started, as in / of a container, says how to name another place") {
    const IoproofFolder folder;
    const auto run = folder.start_run("1", {"-log", "nowhere/l.xml"});
    CHECK(run->wait() == 3);
    CHECK(run->error() == "ioproof: log file 'nowhere/l.xml': No such file or directory. Name another place for it: -log FILE.\n");
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("a page that cannot be written changes neither the verdict of several results nor their JSON") {
    const IoproofFolder folder;
    for (const char* name : {"a.json", "b.json"}) {
        REQUIRE(folder.start_run("1", {"--json", name, "--fail-on", "longest > 1us"})->wait() == 1);
    }
    const auto report = folder.start({"report", "a.json", "b.json", "--json", "all.json", "--html", "/dev/full"});
    CHECK(report->wait() == 1);
    CHECK_THAT(report->error(), ContainsSubstring("HTML file '/dev/full': could not be written"));
    CHECK_THAT(folder.read("all.json"), ContainsSubstring("FAIL"));
}

TEST_CASE("the merged report of a folder may be in that folder: the next report leaves it out, and may replace it") {
    const IoproofFolder folder;
    fs::create_directory(folder.path() / "results");
    for (const char* name : {"results/a.json", "results/b.json"}) REQUIRE(folder.start_run("1", {"--json", name})->wait() == 0);
    const auto report = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"report", "results"});
        const auto process = folder.start(words);
        CHECK(process->wait() == 0);
        CHECK(process->error().empty());
        return process->output();
    };
    const std::string text = report({"--json", "results/all.json"});
    CHECK(report({"--json", "results/all.json"}) == text);
    CHECK(report({}) == text);
}
