// Runs that the user stops.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;
using test::Process;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

// How long a run takes to begin its log, on this machine and under its present load.
std::chrono::milliseconds time_to_begin() {
    const IoproofFolder folder;
    const auto started = std::chrono::steady_clock::now();
    const auto run = folder.start_run("100");
    while (!folder.has("sqliosim.log.xml") && run->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started);
}

}  // namespace

TEST_CASE("a signal ends a run cleanly: exit code 130, with the summary and a complete log") {
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    const IoproofFolder folder;
    const auto run = folder.start_run("100");
    REQUIRE(run->says("main run, "));
    run->send(signal);
    const int code = run->wait();
    INFO(run->output() << run->error());
    CHECK(code == 130);
    CHECK_THAT(run->error(), ContainsSubstring("draining I/O, then the summary"));
    CHECK_THAT(run->output(), ContainsSubstring("Final Summary") && ContainsSubstring("INCOMPLETE: "));
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring("Stress Test Attempt Complete") && !ContainsSubstring("TYPE='ERROR'"));
    CHECK(folder.log_error().empty());
}

TEST_CASE("a signal at any moment of the start ends the run cleanly, without partial files") {
    constexpr int kMoments = 30;
    const auto step = std::max(time_to_begin() * 4 / kMoments, std::chrono::milliseconds(10));
    int in_order = 0;
    for (int i = 0; i < kMoments; ++i) {
        const IoproofFolder folder;
        const auto run = folder.start_run("100", {"--json", "r.json", "-save", "s.ini"});
        std::this_thread::sleep_for(i * step);
        run->send(std::array<int, 3>{SIGINT, SIGTERM, SIGHUP}[static_cast<std::size_t>(i) % 3]);
        const int code = run->wait();
        INFO("after " << (i * step).count() << " ms: " << run->error());
        if (!folder.has("sqliosim.log.xml")) {
            // Nothing was touched, because the process had not begun, or only just.
            CHECK(test::names_in(folder.path()) == std::vector<std::string>{"data"});
            continue;
        }
        ++in_order;
        CHECK(code == 130);
        CHECK(folder.log_error().empty());
        CHECK_THAT(folder.read("sqliosim.log.xml"),
                   ContainsSubstring("draining I/O, then the summary") && ContainsSubstring("Stress Test Attempt Complete"));
        CHECK_THAT(folder.read("r.json"), ContainsSubstring("\"stopped\""));
        for (const std::string& name : test::names_in(folder.path())) CHECK_THAT(name, !ContainsSubstring(".new"));
    }
    CHECK(in_order > kMoments / 2);
}

TEST_CASE("a broken pipe ends nothing") {
    const IoproofFolder folder;
    const auto run = folder.start_run("1");
    REQUIRE(run->says("main run, "));
    run->send(SIGPIPE);
    CHECK(run->wait() == 0);
}

TEST_CASE("signals that come at once, as from timeout(1), are one: the run ends cleanly") {
    const IoproofFolder folder;
    const auto run = folder.start_run("100");
    REQUIRE(run->says("main run, "));
    run->send(SIGTERM);
    run->send(SIGTERM);
    run->send(SIGINT);
    CHECK(run->wait() == 130);
    CHECK_THAT(run->output(), ContainsSubstring("Final Summary") && ContainsSubstring("INCOMPLETE: "));
    CHECK(folder.log_error().empty());
}

TEST_CASE("a later second signal ends the run, cleanly or immediately") {
    const IoproofFolder folder;
    const auto run = folder.start_run("100");
    REQUIRE(run->says("main run, "));
    run->send(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    run->send(SIGINT);
    CHECK(run->wait() == 130);
    CHECK(folder.log_error().empty());
}

TEST_CASE("ephemeral files are also deleted if the run is stopped") {
    const IoproofFolder folder;
    const auto run = folder.start_run("100", {"--ephemeral"});
    REQUIRE(run->says("main run, "));
    run->send(SIGINT);
    CHECK(run->wait() == 130);
    CHECK(test::names_in(folder.data()).empty());
}

TEST_CASE("the log is well-formed after kill -9, and the next run replaces the remaining files") {
    const IoproofFolder folder;
    const auto run = folder.start_run("100");
    REQUIRE(run->says("main run, "));
    run->send(SIGKILL);
    CHECK(run->wait() == 128 + SIGKILL);
    CHECK(folder.log_error().empty());
    CHECK_THAT(folder.read("sqliosim.log.xml"), ContainsSubstring("<ENTRY TYPE='INFO'"));
    const auto next = folder.start_run("1");
    CHECK(next->wait() == 0);
}

TEST_CASE("after kill -9 the results are those of a run that did not end, not those of the run before, and the next end replaces them") {
    const IoproofFolder folder;
    const std::vector<std::string> outputs{"--json", "r.json", "--html", "r.html"};
    const auto results = [&] { return Json::parse(folder.read("r.json")); };
    REQUIRE(folder.start_run("1", outputs)->wait() == 0);
    CHECK(results()["verdict"]["judgement"] == "PASS");
    CHECK(results()["run"]["unfinished"] == false);
    const auto begins = [&](Process& run) {
        while (run.is_running() && folder.read("r.html").find("\"unfinished\":true") == std::string::npos) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        run.send(SIGKILL);
        return run.wait() == 128 + SIGKILL;
    };

    REQUIRE(begins(*folder.start_run("100", outputs)));
    CHECK(results()["verdict"]["judgement"] == "INCOMPLETE");
    CHECK(results()["run"]["outcome"] == "not_done");
    CHECK(results()["run"]["unfinished"] == true);
    CHECK(results()["run"]["run_id"] != "0000000000000000");
    const auto report = folder.start({"report", "r.json"});
    CHECK(report->wait() == 0);
    CHECK_THAT(report->output(), ContainsSubstring("INCOMPLETE: These results are from the beginning of the test"));

    for (const char* name : {"r.json", "r.html"}) fs::remove(folder.path() / name);
    REQUIRE(begins(*folder.start_run("100", outputs)));
    CHECK(results()["verdict"]["judgement"] == "INCOMPLETE");

    CHECK(folder.start_run("1", outputs)->wait() == 0);
    CHECK(results()["verdict"]["judgement"] == "PASS");
    CHECK(results()["run"]["unfinished"] == false);
}
