// `ioproof run --group --plan readers` from end to end: processes act as hosts that share a folder.
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/group/hosts.hpp"

using group_test::fact_names;
using group_test::Hosts;
using Json = nlohmann::json;

TEST_CASE("readers see what the owner had been promised, whether files stay open or are reopened") {
    Hosts hosts;
    const std::string coherence = GENERATE("strict", "close-to-open");
    const std::vector<std::string> words{"-d", "2", "--plan", "readers", "--coherence", coherence};
    const auto owner = hosts.start(0, 2, "shared", words);
    const auto reader = hosts.start(1, 2, "shared", words);
    CHECK(owner->wait() == 0);
    CHECK(reader->wait() == 0);
    const Json result = hosts.result(1);
    CAPTURE(reader->output() + reader->error(), result["group"]["reader"].dump());
    CHECK(result["verdict"]["judgement"] == "PASS");
    CHECK(result["run"]["run_id"] == hosts.result(0)["run"]["run_id"]);
    CHECK(result["group"]["coherence"] == coherence);
    const Json read = result["group"]["reader"];
    CHECK(read["passes"] >= 2);
    CHECK(read["promised_pages"] > 500);
    CHECK(read["opens"] == (coherence == "strict" ? Json(1) : read["passes"]));
    CHECK(hosts.result(0)["group"]["reader"].is_null());
    CHECK(hosts.result(0)["files"][0]["grown_count"] == 1);  // and never cut
    CHECK(hosts.result(0)["files"][0]["shrunk_count"] == 0);
    CHECK(result["files"][0]["writes"] == 0);
    CHECK_THAT(reader->output(), ContainsSubstring("passes over the files"));
}

TEST_CASE("stale pages of a reader are reported with reader and owner, and the owner is not blamed") {
    Hosts hosts;
    // The reader's view of the volume: files of an earlier run, without anything from the owner.
    std::filesystem::create_directory(hosts.folder.path() / "old");
    REQUIRE(hosts.folder.start({"run", "-dir", "old", "-size", "4", "-d", "1"})->wait() == 0);
    const std::vector<std::string> words{"-d", "2", "--plan", "readers"};
    const auto owner = hosts.start(0, 2, "shared", words);
    const auto reader = hosts.start(1, 2, "old", words);
    CHECK(owner->wait() == 0);
    CHECK(reader->wait() == 1);
    const Json result = hosts.result(1);
    const std::vector<std::string> names = fact_names(result);
    REQUIRE_FALSE(names.empty());
    CHECK(names.front() == "stale_on_reader");
    CHECK_THAT(result["findings"][0]["group_fact"]["text"].get<std::string>(), ContainsSubstring("The reader, rank 1 on"));
    const auto merged = hosts.folder.start({"report", "host-0/r.json", "host-1/r.json"});
    CHECK(merged->wait() == 1);
    CHECK_THAT(merged->output(), ContainsSubstring("FAIL: 1 of 2 ranks failed"));
}

TEST_CASE("readers without an owner read nothing, and say so") {
    Hosts hosts;
    const auto reader = hosts.start(1, 2, "shared", {"--plan", "readers", "--wait-for-ranks", "1", "--lease", "1"});
    CHECK(reader->wait() == 3);
    CHECK_THAT(reader->output(), ContainsSubstring("there was nothing to read"));
}

TEST_CASE("a reader whose witness is gone before the owner has made the files does not say that the owner did not come") {
    Hosts hosts;
    const auto reader = hosts.start(1, 2, "shared", {"--plan", "readers", "--wait-for-ranks", "4", "--lease", "1"});
    REQUIRE(reader->says("rank 1 of 2"));
    hosts.rig.reset();
    CHECK(reader->wait() == 3);
    CHECK_THAT(hosts.result(1)["run"]["outcome_reason"].get<std::string>(),
               ContainsSubstring("Whether the owner of the files has made them is not known here"));
}

TEST_CASE("a reader whose owner is killed, or whose witness never returns, compares once more and proves nothing") {
    Hosts hosts;
    const bool is_owner_killed = GENERATE(true, false);
    const std::vector<std::string> words{"-d", "5", "--plan", "readers", "--wait-for-ranks", "3", "--lease", "2"};
    const auto owner = hosts.start(0, 2, "shared", words);
    const auto reader = hosts.start(1, 2, "shared", words);
    REQUIRE(hosts.has_filled("shared"));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    if (is_owner_killed) {
        owner->send(SIGKILL);
    } else {
        hosts.rig.reset();
    }
    CHECK(reader->wait() == 3);
    const Json result = hosts.result(1);
    CHECK(result["verdict"]["judgement"] == "INCOMPLETE");
    CHECK(result["findings"].empty());
    CHECK(result["group"]["reader"]["promised_pages"] > 0);
    CHECK_THAT(reader->output(), ContainsSubstring(is_owner_killed ? "The owner of the files was lost" : "is not known here"));
    if (!is_owner_killed) CHECK(owner->wait() == 0);  // it has verified its own files, and says since when nothing was promised
}
