// Runs that the user stops.
#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using test::IoproofFolder;

TEST_CASE("a signal ends a run in order: exit code 130, with the summary and a complete log") {
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

TEST_CASE("a signal at any moment of the start ends the run in order, without partial files") {
    constexpr int kMoments = 30;
    constexpr int kStepMs = test::kIsSanitized ? 30 : 10;  // a program under a sanitizer starts slowly
    int in_order = 0;
    for (int i = 0; i < kMoments; ++i) {
        const IoproofFolder folder;
        const auto run = folder.start_run("100", {"--json", "r.json", "-save", "s.ini"});
        std::this_thread::sleep_for(std::chrono::milliseconds(i * kStepMs));
        run->send(std::array<int, 3>{SIGINT, SIGTERM, SIGHUP}[static_cast<std::size_t>(i) % 3]);
        const int code = run->wait();
        INFO("after " << i * kStepMs << " ms: " << run->error());
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

TEST_CASE("a second signal ends the run, in order or immediately") {
    const IoproofFolder folder;
    const auto run = folder.start_run("100");
    REQUIRE(run->says("main run, "));
    run->send(SIGINT);
    run->send(SIGINT);
    run->send(SIGTERM);
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
