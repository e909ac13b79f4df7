// `ioproof run --group` from end to end: processes act as hosts that share a folder.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>

#include "tests/cli/group/hosts.hpp"

using group_test::fact_names;
using group_test::Hosts;
using Json = nlohmann::json;

TEST_CASE("side-by-side runs begin their main run together, and know each other's run ids") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "2", "--bursts", "staggered", "--burst-seconds", "2"};
    const auto first = hosts.start(0, 2, "a", words);
    const auto second = hosts.start(1, 2, "b", words);
    CHECK(first->wait() == 0);
    CHECK(second->wait() == 0);
    const Json group = hosts.result(0)["group"];
    CHECK(group["plan"] == "side-by-side");
    CHECK(group["missing_ranks"].empty());
    REQUIRE(group["members"].size() == 2);
    CHECK(group["members"][1]["run_id"] == hosts.result(1)["run"]["run_id"]);
    CHECK(group["started_utc_us"] == hosts.result(1)["group"]["started_utc_us"]);
    CHECK(group["clock"]["round_trip_us"] > 0);
    CHECK_THAT(first->output(), ContainsSubstring("Group g"));
}

TEST_CASE("a page of another host's run is reported with its host, file and page") {
    Hosts hosts;
    const auto first = hosts.start(0, 2, "a", {"-d", "4"});
    const auto second = hosts.start(1, 2, "b", {"-d", "4"});
    REQUIRE(hosts.has_filled("a"));
    REQUIRE(hosts.has_filled("b"));
    // Simulates an array that sends one write to the wrong volume.
    const auto read = [&](const char* data) {
        std::ifstream file(hosts.folder.path() / data / "sqliosim.mdx", std::ios::binary);
        std::string page(8192, '\0');
        file.seekg(100 * 8192);
        file.read(page.data(), 8192);
        return page;
    };
    const std::string page = read("b");
    // Repeatedly, because a page that is overwritten before it is read does no harm.
    for (int round = 0; round < 500 && first->is_running(); ++round) {
        std::fstream wrong(hosts.folder.path() / "a" / "sqliosim.mdx", std::ios::binary | std::ios::in | std::ios::out);
        for (int i = 0; i < 40; ++i) {
            wrong.seekp((60 + i) * 8192);
            wrong.write(page.data(), 8192);
        }
        wrong.close();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    CHECK(first->wait() == 1);
    CHECK(second->wait() == 0);
    const Json result = hosts.result(0);
    REQUIRE(result["findings"].size() > 0);
    const Json fact = result["findings"][0]["group_fact"];
    CHECK(fact["name"] == "other_host");
    CHECK(fact["rank"] == 1);
    CHECK(fact["page_id"] == 100);
    CHECK_THAT(fact["path"].get<std::string>(), ContainsSubstring("/b/sqliosim.mdx"));
    CHECK(fact["utc_us"] > 0);
}

TEST_CASE("a rank that never comes is named, and the run is incomplete") {
    Hosts hosts;
    const auto first = hosts.start(0, 2, "a", {"-d", "1", "--wait-for-ranks", "2"});
    CHECK(first->wait() == 3);
    const Json result = hosts.result(0);
    CHECK(result["group"]["missing_ranks"] == Json::array({1}));
    CHECK(result["verdict"]["judgement"] == "INCOMPLETE");
    CHECK_THAT(result["run"]["outcome_reason"].get<std::string>(), ContainsSubstring("rank 1 did not come"));
    // The only result of the group, and the folder of a host that has none.
    std::filesystem::create_directory(hosts.folder.path() / "host-1");
    const auto merged = hosts.folder.start({"report", "host-0", "host-1"});
    CHECK(merged->wait() == 3);
    CHECK_THAT(merged->output(), ContainsSubstring("INCOMPLETE: rank 1 of 2 did not come back"));
    CHECK_THAT(merged->output() + merged->error(), ContainsSubstring("'host-1' holds no results file"));
    const auto document = hosts.folder.start({"report", "host-0/r.json", "--json", "all.json"});
    CHECK(document->wait() == 3);
    CHECK(hosts.folder.has("all.json"));
    const auto by_itself = hosts.folder.start({"report", "host-0/r.json"});
    CHECK(by_itself->wait() == 0);
}

TEST_CASE("a run that could not begin names its group, and the merged report counts its rank") {
    Hosts hosts;
    std::filesystem::create_directory(hosts.folder.path() / "b");
    hosts.folder.write("b/sqliosim.mdx", "somebody's data");
    const std::vector<std::string> words{"-d", "1", "--wait-for-ranks", "20", "--lease", "1"};
    const auto first = hosts.start(0, 2, "a", words);
    const auto second = hosts.start(1, 2, "b", words);
    CHECK(second->wait() == 2);
    CHECK(first->wait() == 3);
    const Json result = hosts.result(1);
    REQUIRE(result.contains("group"));
    CHECK(result["group"]["name"] == "g");
    CHECK(result["group"]["rank"] == 1);
    const auto merged = hosts.folder.start({"report", "host-0", "host-1"});
    CHECK(merged->wait() == 3);
    CHECK_THAT(merged->output(), ContainsSubstring("INCOMPLETE: 2 of 2 ranks proved nothing."));
}

TEST_CASE("files are handed over in order, and each owner verifies the promises of the previous one") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "1", "--plan", "hand-over", "--turns", "3"};
    const auto first = hosts.start(0, 2, "shared", words);
    const auto second = hosts.start(1, 2, "shared", words);
    CHECK(first->wait() == 0);
    CHECK(second->wait() == 0);
    const Json turn = hosts.result(1, "r.turn-2.json")["group"]["turn"];
    CHECK(turn["previous"]["rank"] == 0);
    CHECK(turn["previous"]["ended_by"] == "in-order");
    CHECK(turn["incarnation"] == 2);
    CHECK(turn["verified"]["promised_pages"] > 0);
    CHECK(turn["verified"]["pages"] > 500);
    CHECK(turn["verified"]["findings"] == 0);
    CHECK(hosts.result(0, "r.turn-3.json")["group"]["turn"]["incarnation"] == 3);
    CHECK(hosts.result(0, "r.turn-3.json")["run"]["run_id"] == hosts.result(0, "r.turn-1.json")["run"]["run_id"]);
}

TEST_CASE("the results of turns go to a device that is named, or to the standard output, and not to files beside it") {
    for (const char* device : {"/dev/null", "/dev/stdout"}) {  // the latter is a file here
        INFO(device);
        Hosts hosts;
        const auto only = hosts.start(0, 1, "shared", {"-d", "1", "--plan", "hand-over", "--turns", "1", "--html", device});
        CHECK(only->wait() == 0);
        CHECK_FALSE(std::filesystem::remove(std::string(device) + ".turn-1"));
        CHECK((only->output().find("<html") != std::string::npos) == (std::string_view(device) == "/dev/stdout"));
    }
}

TEST_CASE("a run that joins a hand-over that is over says that it took no turn") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "1", "--plan", "hand-over", "--turns", "1"};
    const auto first = hosts.start(0, 1, "shared", words);
    CHECK(first->wait() == 0);
    CHECK_THAT(first->output() + first->error(), !ContainsSubstring("took no turn"));
    const auto second = hosts.start(0, 1, "shared", words);
    CHECK(second->wait() == 0);
    CHECK_THAT(second->error(), ContainsSubstring("The group g is over: this process took no turn."));
}

TEST_CASE("an owner that is killed by plan loses its turn after the lease, and the next one finds everything promised") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "2", "--plan", "hand-over", "--turns", "2", "--change", "kill", "--lease", "2"};
    const auto first = hosts.start(0, 2, "shared", words);
    const auto second = hosts.start(1, 2, "shared", words);
    CHECK(first->wait() == 128 + SIGKILL);
    hosts.restart_witness();  // in the middle of a hand-over
    CHECK(second->wait() == 0);
    const Json turn = hosts.result(1, "r.turn-2.json")["group"]["turn"];
    CHECK(turn["previous"]["ended_by"] == "kill");
    CHECK(turn["verified"]["promised_pages"] > 0);
}

TEST_CASE("two owners in a row that are killed by plan do not leave the result incomplete") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "2", "--plan", "hand-over", "--turns", "3", "--change", "kill", "--lease", "2"};
    const auto first = hosts.start(0, 3, "shared", words);
    const auto second = hosts.start(1, 3, "shared", words);
    const auto third = hosts.start(2, 3, "shared", words);
    CHECK(first->wait() == 128 + SIGKILL);
    CHECK(second->wait() == 128 + SIGKILL);
    CHECK(third->wait() == 0);
    const Json turn = hosts.result(2, "r.turn-3.json")["group"]["turn"];
    CHECK(turn["planned_losses"] == Json::parse(R"([{"number": 1, "rank": 0}, {"number": 2, "rank": 1}])"));
    const auto merged = hosts.folder.start({"report", "host-0", "host-1", "host-2"});
    CHECK(merged->wait() == 0);
    CHECK_THAT(merged->output(), ContainsSubstring("PASS: all 3 turns:"));
}

TEST_CASE("a hand-over takes the length of its turns and the name of its log from the configuration, too") {
    Hosts hosts;
    for (const char* host : {"host-0", "host-1"}) {
        std::filesystem::create_directory(hosts.folder.path() / host);
        hosts.folder.write(std::string(host) + "/sqliosim.cfg.ini", "[CONFIG]\nErrorFile=turns.xml\nTestCycleDuration=2\n");
    }
    const std::vector<std::string> words{"--plan", "hand-over", "--turns", "2", "--change", "kill", "--lease", "2"};
    const auto first = hosts.start(0, 2, "shared", words);
    const auto second = hosts.start(1, 2, "shared", words);
    CHECK(first->wait() == 128 + SIGKILL);  // within its two seconds
    CHECK(second->wait() == 0);
    CHECK(hosts.folder.has("host-0/turns.turn-1.xml"));
    CHECK(hosts.folder.has("host-1/turns.turn-2.xml"));
}

TEST_CASE("a hand-over whose configuration deletes the files, or never ends a turn, is refused before the first turn") {
    for (const char* entry : {"DeleteFilesAtShutdown=TRUE", "TestCycles=0"}) {
        CAPTURE(entry);
        Hosts hosts;
        std::filesystem::create_directory(hosts.folder.path() / "host-0");
        hosts.folder.write("host-0/sqliosim.cfg.ini", std::string("[CONFIG]\n") + entry + "\n");
        const auto first = hosts.start(0, 1, "shared", {"-d", "1", "--plan", "hand-over", "--turns", "2"});
        CHECK(first->wait() == 2);
        CHECK_THAT(first->error(), ContainsSubstring(entry) && ContainsSubstring("--plan hand-over"));
        CHECK(test::names_in(hosts.folder.path() / "shared").empty());
    }
}

TEST_CASE("an owner whose witness does not hear of the end of its turn does not begin the turn again") {
    Hosts hosts;
    const auto only = hosts.start(0, 1, "shared", {"-d", "2", "--plan", "hand-over", "--turns", "1", "--wait-for-ranks", "1"});
    REQUIRE(hosts.has_promised());
    hosts.rig.reset();
    CHECK(only->wait() == 3);
    CHECK(hosts.result(0, "r.turn-1.json")["verdict"]["judgement"] == "PASS");
    CHECK_THAT(only->output() + only->error(), !ContainsSubstring("INCOMPLETE"));
    CHECK_THAT(only->output() + only->error(), ContainsSubstring("--group g at the witness"));
}

TEST_CASE("a hand-over that a person stops does not blame the storage on the hosts that wait") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "20", "--plan", "hand-over", "--turns", "2"};
    const auto first = hosts.start(0, 2, "shared", words);
    const auto second = hosts.start(1, 2, "shared", words);
    REQUIRE(hosts.has_filled("shared"));
    first->send(SIGTERM);
    CHECK(first->wait() == 3);
    CHECK(second->wait() == 3);
    for (const auto& host : {first.get(), second.get()}) {
        CHECK_THAT(host->output() + host->error(), ContainsSubstring("ended with a person stopped it"));
        CHECK_THAT(host->output() + host->error(), ContainsSubstring("Turn 1, rank 0 on ") && ContainsSubstring(": broken off"));
    }
}

TEST_CASE("a hand-over whose owner exceeds a limit of --fail-on says so on all hosts") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "1", "--plan", "hand-over", "--turns", "2"};
    std::vector<std::string> limited = words;
    limited.insert(limited.end(), {"--fail-on", "longest > 1us"});
    const auto first = hosts.start(0, 2, "shared", limited);
    const auto second = hosts.start(1, 2, "shared", words);
    CHECK(first->wait() == 1);
    CHECK(second->wait() == 3);
    CHECK_THAT(second->output() + second->error(), ContainsSubstring("ended with a limit of --fail-on exceeded. Name another group"));
}

TEST_CASE("an owner that is to be lost and is told to stop is lost, and its turn is not the last one") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "1", "--plan", "hand-over", "--turns", "2", "--change", "loss", "--lease", "4"};
    const auto first = hosts.start(0, 2, "shared", words);
    const auto second = hosts.start(1, 2, "shared", words);
    REQUIRE(hosts.has_worked_for(std::chrono::seconds(1)));  // its log has something to continue with
    first->send(SIGTERM);
    CHECK(first->wait() == 130);
    CHECK_THAT(first->error(), ContainsSubstring("ended immediately; the files stay as they are"));
    CHECK(second->wait() == 0);
    const Json turn = hosts.result(1, "r.turn-2.json")["group"]["turn"];
    CHECK(turn["previous"]["ended_by"] == "loss");
    CHECK(turn["verified"]["findings"] == 0);
}

TEST_CASE("an owner that is to be lost works until it is killed, and the next one reports the loss") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "1", "--plan", "hand-over", "--turns", "2", "--change", "loss", "--lease", "4"};
    const auto first = hosts.start(0, 2, "shared", words);
    const auto second = hosts.start(1, 2, "shared", words);
    REQUIRE(hosts.has_worked_for(std::chrono::seconds(3)));
    REQUIRE(first->is_running());  // after its main run of one second, because nothing has killed it
    first->send(SIGKILL);
    CHECK(first->wait() == 128 + SIGKILL);
    CHECK(second->wait() == 0);
    const Json turn = hosts.result(1, "r.turn-2.json")["group"]["turn"];
    CHECK(turn["previous"]["ended_by"] == "loss");
    CHECK(turn["verified"]["promised_pages"] > 0);
    CHECK(turn["verified"]["findings"] == 0);
    // The lost owner had written its results file when it began, and not again.
    CHECK(hosts.result(0, "r.turn-1.json")["run"]["unfinished"] == true);
    const auto merged = hosts.folder.start({"report", "host-0", "host-1"});
    CHECK(merged->wait() == 0);
    CHECK_THAT(merged->error() + merged->output(),
               ContainsSubstring("r.turn-1.json' has no results: its run was lost, or is still running"));
    CHECK_THAT(merged->output(), ContainsSubstring("PASS: all 2 turns:"));

    // A later hand-over that was lost in its first turn, and left the result of this one's second turn in the folder.
    Json later = hosts.result(0, "r.turn-1.json");
    later["group"]["name"] = "later";
    hosts.folder.write("host-0/r.turn-1.json", later.dump());
    const auto mixed = hosts.folder.start({"report", "host-0", "host-1"});
    CHECK(mixed->wait() == 2);
    CHECK_THAT(mixed->error(), ContainsSubstring("is of group 'later', plan hand-over") && ContainsSubstring("they are not one result"));
}

TEST_CASE("promised writes that the new owner does not find are reported") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "2", "--plan", "hand-over", "--turns", "2", "--change", "kill", "--lease", "4"};
    const auto first = hosts.start(0, 2, "shared", words);
    REQUIRE(hosts.has_promised());
    std::filesystem::copy(hosts.folder.path() / "shared", hosts.folder.path() / "old");
    CHECK(first->wait() == 128 + SIGKILL);
    // The other host sees an earlier state of the volume.
    std::filesystem::copy(hosts.folder.path() / "old", hosts.folder.path() / "shared",
                          std::filesystem::copy_options::overwrite_existing | std::filesystem::copy_options::recursive);
    const auto second = hosts.start(1, 2, "shared", words);
    CHECK(second->wait() == 1);
    const Json result = hosts.result(1, "r.turn-2.json");
    const std::vector<std::string> names = fact_names(result);
    REQUIRE_FALSE(names.empty());
    CHECK(names.front() == "missing_after_hand_over");
    CHECK(result["group"]["turn"]["verified"]["findings"] > 0);
}

TEST_CASE("a frozen owner that writes after it has lost the files is named as a zombie") {
    const std::vector<std::string> words{"-d", "6", "--plan", "hand-over", "--turns", "2", "--change", "fence", "--lease", "2"};
    constexpr int kTries = 10;  // each takes 12 s, and every second one shows something
    for (int attempt = 1; attempt <= kTries; ++attempt) {
        Hosts hosts;
        const auto first = hosts.start(0, 2, "shared", words);
        const auto second = hosts.start(1, 2, "shared", words);
        const int code = second->wait(std::chrono::seconds(150));  // there is much to find
        // The frozen owner learns two seconds after it has woken up that it has lost the files. Until then it may have written nothing that
        // is read later.
        if (code == 0 && attempt < kTries) continue;
        CAPTURE(attempt, second->error() + second->output());
        REQUIRE(code == 1);
        const Json result = hosts.result(1, "r.turn-2.json");
        const std::vector<std::string> names = fact_names(result);
        CAPTURE(result["findings"].dump());
        const bool has_zombie = std::find(names.begin(), names.end(), "zombie_owner") != names.end();
        // It had made the image before it was frozen: that is a late write, or looks as if the new owner's had been lost.
        if (!has_zombie && attempt < kTries) continue;
        REQUIRE(has_zombie);
        for (const Json& finding : result["findings"]) {
            const bool is_zombie = finding.contains("group_fact") && finding["group_fact"]["name"] == "zombie_owner";
            if (is_zombie) CHECK(finding["group_fact"]["rank"] == 0);
        }
        const int code_of_first = first->wait();
        CHECK((code_of_first == 1 || code_of_first == 3));  // the group has failed, or will after the end of this process
        CHECK_THAT(first->error() + first->output(), ContainsSubstring("was taken from rank 0"));
        break;
    }
}

TEST_CASE("an owner whose rank another process has taken while it was cut off ends its work when it learns of that") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "60", "--plan", "hand-over", "--turns", "2", "--wait-for-ranks", "10", "--lease", "2"};
    const auto first = hosts.start(0, 2, "shared", words);
    REQUIRE(hosts.has_filled("shared"));
    first->send(SIGSTOP);
    const auto again = hosts.start(0, 2, "shared", words);  // as a scheduler does that has lost the node
    REQUIRE(again->says("waiting for the turns of rank 0"));
    first->send(SIGCONT);
    CHECK(first->wait() == 3);  // rank 1 never comes
    CHECK_THAT(first->error() + first->output(), ContainsSubstring("was taken from rank 0 (another process has its rank)"));
    CHECK(again->wait() == 3);
}

TEST_CASE("an owner that stood still until its turn was lost reports no result of it, even if it has nothing left to do when it goes on") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "3", "--plan", "hand-over", "--turns", "2", "--lease", "2"};
    const auto first = hosts.start(0, 2, "shared", words);
    const auto second = hosts.start(1, 2, "shared", words);
    REQUIRE(hosts.has_worked_for(std::chrono::seconds(1)));
    first->send(SIGSTOP);
    CHECK(second->wait() == 3);                            // the one that stands still has locked the files
    std::this_thread::sleep_for(std::chrono::seconds(3));  // so that the main run is over when it goes on
    first->send(SIGCONT);
    CHECK(first->wait() == 3);
    CHECK_THAT(first->error() + first->output(), ContainsSubstring("turn 1 was taken from rank 0 (lost)"));
    CHECK_THAT(first->error() + first->output(), ContainsSubstring("What it has found since then does not count"));
    CHECK(hosts.result(0, "r.turn-1.json")["run"]["unfinished"] == true);
}

TEST_CASE("a run that stood still before its group met, for longer than it waits for a witness, begins nothing if its rank is taken") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "1", "--wait-for-ranks", "4", "--lease", "1"};
    const auto first = hosts.start(0, 2, "a", words);
    REQUIRE(first->says("rank 0 of 2"));
    std::this_thread::sleep_for(std::chrono::seconds(1));  // so that it waits for the other rank
    first->send(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(6));
    std::filesystem::rename(hosts.folder.path() / "host-0", hosts.folder.path() / "host-of-first");  // both write results
    const auto again = hosts.start(0, 2, "b", words);
    REQUIRE(again->says("rank 0 of 2"));
    first->send(SIGCONT);
    CHECK(first->wait() == 3);
    CHECK_THAT(first->error(), ContainsSubstring("another process is or was rank 0"));
    CHECK_FALSE(hosts.folder.has("a/sqliosim.mdx"));
}

TEST_CASE("side-by-side runs that lose their witness for good do not wait forever for the others, and say so") {
    Hosts hosts;
    const std::vector<std::string> words{"-d", "4", "--wait-for-ranks", "2", "--lease", "1"};
    const auto first = hosts.start(0, 2, "a", words);
    const auto second = hosts.start(1, 2, "b", words);
    REQUIRE(hosts.has_filled("a"));
    REQUIRE(hosts.has_filled("b"));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    hosts.rig.reset();
    for (const auto& host : {first.get(), second.get()}) CHECK(host->wait() == 3);
    const auto reason = hosts.result(0)["run"]["outcome_reason"].get<std::string>();
    CHECK_THAT(reason, ContainsSubstring("did not come back (Connection refused), so this run"));
    CHECK(hosts.result(1)["verdict"]["judgement"] == "INCOMPLETE");
}
