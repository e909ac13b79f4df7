#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::json;
using test::IoproofFolder;

TEST_CASE("a run above a limit exits with 1 and says everywhere that it was slow, not wrong") {
    const IoproofFolder folder;
    const auto run = folder.start_run("1", {"--json", "r.json", "--html", "r.html", "--fail-on", "log_flush.longest >= 0us, p99 > 1000 s",
                                            "--fail-on=throttled>1000000000"});
    CHECK(run->wait() == 1);
    CHECK_THAT(run->output(), ContainsSubstring("FAIL: The storage kept what it was given, but is slower than you") &&
                                  ContainsSubstring("EXCEEDED") && !ContainsSubstring("Do not trust"));
    const Json results = Json::parse(folder.read("r.json"));
    CHECK(results["verdict"]["judgement"] == "FAIL");
    CHECK(results["verdict"]["reasons"][0]["id"] == "threshold");
    CHECK(results["run"]["outcome"] == "passed");
    CHECK(results["finding_count"] == 0);
    REQUIRE(results["thresholds"].size() == 3);
    CHECK(results["thresholds"][0]["outcome"] == "exceeded");
    CHECK(results["thresholds"][0]["io_class"] == "log_flush");
    CHECK(results["thresholds"][0]["file"].get<std::string>().ends_with("sqliosim.ldx"));
    CHECK(results["thresholds"][0]["value"].get<double>() > 0);
    CHECK(results["thresholds"][1]["outcome"] == "kept");
    CHECK(results["thresholds"][2]["expression"] == "throttled>1000000000");
    const std::string xml = folder.read("sqliosim.log.xml");
    CHECK_THAT(xml, ContainsSubstring("Limit exceeded: log_flush.longest &gt;= 0us"));
    CHECK_THAT(xml, ContainsSubstring("TYPE='ERROR'") || ContainsSubstring("TYPE=\"ERROR\""));
    CHECK_THAT(folder.read("r.html"), ContainsSubstring("log_flush.longest"));
}

TEST_CASE("a run within its limits exits with 0") {
    const IoproofFolder folder;
    const auto run = folder.start_run("1", {"--fail-on", "longest > 1000 s in sqliosim.mdx, warnings > 0"});
    CHECK(run->wait() == 0);
    CHECK_THAT(run->output(), ContainsSubstring("PASS: ") && !ContainsSubstring("EXCEEDED"));
}

TEST_CASE("a limit applies to files behind a symbolic link, under either name, and to files of tempdb") {
    const IoproofFolder folder;
    std::filesystem::create_directory_symlink("data", folder.path() / "link");
    folder.write("t.ini", "[TempdbUser]\nUserCount=1\nFileCount=1\nFileSize=4\n");
    const std::vector<std::string> files{"link/sqliosim.mdx", folder.data_file().string(), "tempdb1.mdx"};
    std::vector<std::string> words{"run", "-cfg", "t.ini", "-dir", "link", "-size", "4", "-d", "1", "--json", "r.json"};
    for (const std::string& file : files) {
        words.emplace_back("--fail-on");
        words.push_back("longest >= 0us in " + file);
    }
    const auto run = folder.start(words);
    CHECK(run->wait() == 1);
    INFO(run->output() << run->error());
    const Json results = Json::parse(folder.read("r.json"));
    REQUIRE(results["thresholds"].size() == files.size());
    for (const Json& threshold : results["thresholds"]) CHECK(threshold["outcome"] == "exceeded");
}

TEST_CASE("a limit for late requests may name a file of the backups, and one for times may not") {
    const IoproofFolder folder;
    folder.write("b.ini", "[BackupUser]\nBackupFolder=data\n");
    const std::vector<std::string> words{"run", "-cfg", "b.ini", "-dir", "data", "-size", "4", "-d", "1", "--json", "r.json", "--fail-on"};
    std::vector<std::string> times = words;
    times.emplace_back("p99 > 1s in ioproof_backup_1.bak");
    const auto refused = folder.start(times);
    CHECK(refused->wait() == 2);
    CHECK_THAT(refused->error(), ContainsSubstring("names no file of this run"));
    std::vector<std::string> late = words;
    late.emplace_back("long_io >= 0 in ioproof_backup_1.bak");
    const auto run = folder.start(late);
    CHECK(run->wait() == 1);
    INFO(run->output() << run->error());
    const Json results = Json::parse(folder.read("r.json"));
    REQUIRE(results["thresholds"].size() == 1);
    CHECK(results["thresholds"][0]["outcome"] == "exceeded");
    CHECK(results["thresholds"][0]["file"].get<std::string>().ends_with("ioproof_backup_1.bak"));
}

TEST_CASE("an invalid limit, and a file that is not part of the run, are wrong usage, and nothing is touched") {
    const IoproofFolder folder;
    for (const char* bad : {"p99 > 5", "p97 > 5ms", "fast", "p99 > 5ms,", "longest > 1s in other.mdx"}) {
        const auto run = folder.start_run("1", {"--fail-on", bad});
        INFO(bad);
        CHECK(run->wait() == 2);
        CHECK_THAT(run->error(), ContainsSubstring("ioproof: --fail-on: '"));
        CHECK_THAT(run->error(), ContainsSubstring("allowed") || ContainsSubstring("write FIGURE > VALUE"));
        CHECK(test::names_in(folder.data()).empty());
        CHECK_FALSE(folder.has("sqliosim.log.xml"));
    }
}
