#include "cli/run/run_outputs.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include <fmt/format.h>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::json;
using test::IoproofFolder;

namespace {

// The second line of figures in a file's final summary, found by a pattern.
std::string counts_line(const Json& file) {
    return fmt::format("Reads = {}, Scatter Reads = {}, Writes = {}, Gather Writes = {}, Total IO Time (ms) = {}", file["reads"].dump(),
                       file["scatter_reads"].dump(), file["writes"].dump(), file["gather_writes"].dump(),
                       file["total_io_time_us"].get<std::uint64_t>() / 1000);
}

std::string throttle_line(const Json& file) {
    return fmt::format("Running Average IO Duration (ms) = {}, Number of times IO throttled = {}, IO request blocks = {}",
                       file["average_io_duration_us"].get<std::uint64_t>() / 1000, file["throttle_count"].dump(),
                       file["request_blocks"].dump());
}

}  // namespace

TEST_CASE("the text, XML, JSON and HTML of a run show the same figures") {
    const IoproofFolder folder;
    const auto run = folder.start_run("2", {"--json", "results.json", "--html", "results.html"});
    CHECK(run->wait() == 0);
    const Json results = Json::parse(folder.read("results.json"));
    CHECK(results["verdict"]["judgement"] == "PASS");
    REQUIRE(results["files"].size() == 2);
    const std::string xml = folder.read("sqliosim.log.xml");
    const std::string html = folder.read("results.html");
    for (const Json& file : results["files"]) {
        for (const std::string& line : {counts_line(file), throttle_line(file)}) {
            CHECK_THAT(run->output(), ContainsSubstring(line));
            CHECK_THAT(xml, ContainsSubstring(line));
        }
    }
    // The browser makes the page from the same document.
    const std::string verified = results["verdict"]["reasons"][0]["text"];
    CHECK_THAT(html, ContainsSubstring(verified));
    CHECK_THAT(html, ContainsSubstring(fmt::format("\"total_io_time_us\":{}", results["files"][0]["total_io_time_us"].dump())));
}

TEST_CASE("a page can be made later from the JSON, and a run compared with itself shows no difference") {
    const IoproofFolder folder;
    CHECK(folder.start_run("1", {"--json", "results.json", "--html", "results.html"})->wait() == 0);
    const auto report = folder.start({"report", "results.json", "--html", "later.html"});
    CHECK(report->wait() == 0);
    CHECK(folder.read("later.html") == folder.read("results.html"));
    const auto compare = folder.start({"compare", "results.json", "results.json"});
    CHECK(compare->wait() == 0);
    CHECK_THAT(compare->output(), !ContainsSubstring("  worse\n") && !ContainsSubstring("  better\n") && ContainsSubstring("0.0 %"));
}

TEST_CASE("a run that cannot begin also says so in its result files") {
    const IoproofFolder folder;
    folder.write("data/sqliosim.mdx", "somebody's data");
    const auto run = folder.start_run("1", {"--json", "results.json", "--html", "results.html"});
    CHECK(run->wait() == 2);
    CHECK_THAT(run->output(), ContainsSubstring("INCOMPLETE: "));
    const Json results = Json::parse(folder.read("results.json"));
    CHECK(results["verdict"]["judgement"] == "INCOMPLETE");
    CHECK_THAT(results["run"]["outcome_reason"].get<std::string>(), ContainsSubstring("data/sqliosim.mdx: refused"));
    CHECK_THAT(folder.read("results.html"), ContainsSubstring("INCOMPLETE"));
    CHECK(folder.read("data/sqliosim.mdx") == "somebody's data");
}

TEST_CASE("a result file that is not ours is not replaced, and the run does not begin") {
    const IoproofFolder folder;
    folder.write("results.json", "{\"shopping\": []}");
    const auto run = folder.start_run("1", {"--json", "results.json"});
    CHECK(run->wait() == 2);
    CHECK_THAT(run->error(), ContainsSubstring("results.json"));
    CHECK(folder.read("results.json") == "{\"shopping\": []}");
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("report and compare refuse a file that is not a result, and say what is wrong with it") {
    const IoproofFolder folder;
    folder.write("other.json", "{\"program\": \"somebody else's\"}");
    folder.write("broken.json", "{\"program\": \"iopr");
    for (const char* name : {"other.json", "broken.json", "missing.json"}) {
        CAPTURE(name);
        const auto report = folder.start({"report", name});
        CHECK(report->wait() != 0);
        CHECK_THAT(report->error(), ContainsSubstring(name));
        CHECK(folder.start({"compare", name, name})->wait() != 0);
    }
}

TEST_CASE("a run waits for a minute until a disk has its results, and for a day until a stream has them, and says so") {
    const IoproofFolder folder;
    const sim::Options options;
    const std::string command;
    const cli::ResultsPatience disk = cli::ResultFiles((folder.path() / "r.json").string(), "", options, command).patience();
    CHECK(disk.limit == std::chrono::seconds(60));
    CHECK_THAT(std::string(disk.complaint), ContainsSubstring("the disk has not answered for 60 s"));
    const cli::ResultsPatience stream = cli::ResultFiles("", "/dev/null", options, command).patience();
    CHECK(stream.limit == std::chrono::hours(24));
    CHECK_THAT(std::string(stream.complaint), ContainsSubstring("within 24 h") && !ContainsSubstring("60 s"));
}
