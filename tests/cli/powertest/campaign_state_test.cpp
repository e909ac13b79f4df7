#include "cli/powertest/campaign_state.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/powertest/state_folder.hpp"
#include "cli/powertest/unit_text.hpp"
#include "cli/process/exit_codes.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

namespace {

cli::CampaignState example_campaign() {
    cli::CampaignState state;
    state.plan = {.typed = {"-dir", "d\xff"},
                  .folder = "/here",
                  .run_words = {"-dir", "d\xff"},
                  .folders = {"/here/d\xff"},
                  .cycles = 3,
                  .cut = "off",
                  .restore = "on",
                  .least_s = 21,
                  .most_s = 22,
                  .timeout_s = 23,
                  .seed = 7,
                  .moments = {"growth", "any"}};
    state.makes_files = true;
    state.mounts = {"/here"};
    state.moment = "growth";
    state.phase = cli::CampaignPhase::cutting;
    state.begins_anew = false;
    state.was_cut = true;
    state.run_started_utc_us = 5;
    state.cut_begins_utc_us = 27;
    state.has_logged = true;
    state.load_ms = 6;
    state.cycles.push_back({.number = 1,
                            .moment = "flush",
                            .load_ms = 9,
                            .outcome = reports::CutOutcome::intact,
                            .finding_count = 24,
                            .torn_pages = 2,
                            .blocks_behind = 25,
                            .verify_ms = 26,
                            .said = "all there"});
    return state;
}

std::string state_mistake(const std::string& text) {
    try {
        static_cast<void>(cli::parse_campaign_state(text, "F"));
    } catch (const cli::UsageError& error) {
        return error.what();
    }
    return "";
}

std::string with(std::string text, const std::string& old, const std::string& replacement) {
    return text.replace(text.find(old), old.size(), replacement);
}

}  // namespace

TEST_CASE("a campaign's state is read as it was written, including names that are not UTF-8") {
    const std::string text = campaign_state_text(example_campaign());
    const cli::CampaignState back = cli::parse_campaign_state(text, "F");
    CHECK(campaign_state_text(back) == text);
    CHECK(back.plan.run_words == example_campaign().plan.run_words);
    CHECK(back.plan.folders == example_campaign().plan.folders);
    CHECK(back.mounts == example_campaign().mounts);
    CHECK(back.phase == cli::CampaignPhase::cutting);
    CHECK(back.cycles.at(0).torn_pages == 2);
    CHECK(back.cycles.at(0).moment == "flush");
    CHECK(back.plan.moments == std::vector<std::string>{"growth", "any"});
    CHECK(back.makes_files);
    CHECK(back.moment == "growth");
    CHECK(back.cut_begins_utc_us == 27);
    CHECK(back.has_logged);
}

TEST_CASE("a campaign's state of an earlier version, which does not say when its cut began, is read") {
    nlohmann::json earlier = nlohmann::json::parse(campaign_state_text(example_campaign()));
    REQUIRE(earlier.erase("cut_begins_utc_us") == 1);
    REQUIRE(earlier.erase("has_logged") == 1);
    const cli::CampaignState back = cli::parse_campaign_state(earlier.dump(), "F");
    CHECK(back.cut_begins_utc_us == 0);
    CHECK_FALSE(back.has_logged);
    CHECK(back.load_ms == 6);
}

TEST_CASE("a damaged or newer state of a campaign is refused") {
    const std::string text = campaign_state_text(example_campaign());
    CHECK_THAT(state_mistake(""), ContainsSubstring("F: is damaged"));
    CHECK_THAT(state_mistake("[]"), ContainsSubstring("F: is damaged"));
    CHECK_THAT(state_mistake(text.substr(0, text.size() / 2)), ContainsSubstring("F: is damaged"));
    CHECK_THAT(state_mistake(with(text, "\"cutting\"", "\"flying\"")), ContainsSubstring("phase 'flying'"));
    CHECK_THAT(state_mistake(with(text, "\"intact\"", "\"odd\"")), ContainsSubstring("outcome 'odd'"));
    CHECK_THAT(state_mistake(with(text, "\"version\": 1", "\"version\": 2")), ContainsSubstring("made by a newer ioproof"));
    CHECK_THAT(state_mistake(with(text, "\"least_s\": 21", "\"least_s\": 23")), ContainsSubstring("times that no campaign has"));
    CHECK_THAT(state_mistake(with(text, "\"most_s\": 22", "\"most_s\": 18446744073709551")), ContainsSubstring("times that no campaign"));
    for (const char* number : {"-1", "1e300", "23.5", "18446744073709551616", "\"23\""}) {
        CHECK_THAT(state_mistake(with(text, "\"timeout_s\": 23", std::string("\"timeout_s\": ") + number)),
                   ContainsSubstring("timeout_s is not a whole number"));
    }
    CHECK_THAT(state_mistake(with(text, "\"load_ms\": 9", "\"load_ms\": 1e300")), ContainsSubstring("load_ms is not a whole number"));
    CHECK_THAT(state_mistake(with(text, "\"cycles\": 3", "\"cycles\": 4294967296")), ContainsSubstring("cycles is not a whole number"));
}

TEST_CASE("a state folder keeps the last state until it is told to forget it") {
    const test::TempFolder place;
    const cli::StateFolder folder(place / "state");
    CHECK_FALSE(folder.load());
    folder.save(example_campaign());
    REQUIRE(folder.load());
    CHECK(folder.load()->cycles.size() == 1);
    CHECK_FALSE(std::filesystem::exists(place / "state/campaign.json.new"));
    folder.forget();
    CHECK_FALSE(folder.load());
}

TEST_CASE("only a verification that has looked at the files says something about a cut") {
    const test::TempFolder place;
    const std::string path = place / "verify.json";
    const auto outcome_of = [&path](int exit_code, const std::string& results) {
        std::ofstream(path) << results;
        return cli::verified_outcome(exit_code, path);
    };
    using reports::CutOutcome;
    CHECK(cli::verified_outcome(2, path) == std::nullopt);  // wrong usage: no results were written
    CHECK(cli::verified_outcome(3, path) == std::nullopt);
    CHECK(outcome_of(0, "{}") == CutOutcome::intact);
    CHECK(outcome_of(1, "{}") == CutOutcome::findings);
    CHECK(outcome_of(2, R"({"run": {"outcome": "not_done", "nothing_to_verify": "no_files"}})") == CutOutcome::nothing);
    CHECK(outcome_of(2, R"({"run": {"outcome": "not_done", "nothing_to_verify": ""}})") == std::nullopt);  // such as a damaged ledger
    CHECK(outcome_of(3, R"({"run": {"outcome": "not_done"}})") == std::nullopt);                           // no folder, no witness
    CHECK(outcome_of(3, R"({"run": {"outcome": "not_done", "nothing_to_verify": "no_changes"}, "durability": {}})") == CutOutcome::nothing);
    CHECK(outcome_of(3, R"({"run": {"outcome": "not_done", "nothing_to_verify": ""}, "durability": {}})") == std::nullopt);  // no memory
    CHECK(outcome_of(3, R"({"run": {"outcome": "passed"}, "durability": {}})") == CutOutcome::intact);  // the XML log was not written
    CHECK(outcome_of(-9, "{}") == std::nullopt);
    CHECK(outcome_of(70, "{}") == std::nullopt);
}

TEST_CASE("what a verification wrote when it began is not what it has shown") {
    const test::TempFolder place;
    const std::string path = place / "verify.json";
    const auto write = [&path](const char* unfinished) {
        std::ofstream(path) << R"({"run": {"outcome": "not_done", "unfinished": )" << unfinished
                            << R"(}, "verdict": {"reasons": [{"text": "These results are from the beginning of the test."}]}})";
    };
    write("true");
    CHECK(cli::verified_cycle(path, 0).said.empty());
    CHECK(cli::verified_outcome(1, path) == reports::CutOutcome::findings);  // the exit code says it
    CHECK(cli::verified_outcome(3, path) == std::nullopt);
    write("false");
    CHECK(cli::verified_cycle(path, 0).said == "These results are from the beginning of the test.");
}

TEST_CASE("a campaign whose volume is not there verifies again and does not begin anew") {
    const test::IoproofFolder folder;
    cli::CampaignState state;
    state.plan = {.folder = folder.path().string(), .run_words = {"-dir", "volume"}, .cycles = 1, .moments = {"any"}};
    state.phase = cli::CampaignPhase::verifying;
    const auto verify_again = [&folder, &state](bool begins_anew) {
        state.begins_anew = begins_anew;
        cli::StateFolder((folder.path() / "state").string()).save(state);
        const auto process = folder.start({"powertest", "--state", "state"});
        CHECK(process->wait() == 3);
        const auto kept = cli::StateFolder((folder.path() / "state").string()).load();
        REQUIRE(kept);
        CHECK(kept->phase == cli::CampaignPhase::verifying);
        CHECK(kept->cycles.empty());
        return process->error();
    };
    CHECK_THAT(verify_again(true), ContainsSubstring("the verification of cycle 1 ended with exit code 3") &&
                                       ContainsSubstring("the folder volume does not exist; 'ioproof powertest --state"));
    std::filesystem::create_directory(folder.path() / "volume");  // the mount point of a volume that is not mounted
    CHECK_THAT(verify_again(false), ContainsSubstring("Is the volume mounted?"));
}

TEST_CASE("a campaign whose volume is not mounted neither judges the empty folder below it nor makes files there") {
    const test::IoproofFolder folder;
    cli::CampaignState state;
    state.plan = {.folder = folder.path().string(),
                  .run_words = {"-dir", "data"},
                  .folders = {folder.data().string()},
                  .cycles = 2,
                  .moments = {"any"}};
    state.mounts = {"/no-such-volume"};
    state.makes_files = true;
    const auto go_on = [&folder, &state] {
        cli::StateFolder((folder.path() / "state").string()).save(state);
        const auto process = folder.start({"powertest", "--state", "state"});
        CHECK(process->wait() == 3);
        CHECK_THAT(process->error(), ContainsSubstring("its volume is not mounted at /no-such-volume"));
        const auto kept = cli::StateFolder((folder.path() / "state").string()).load();
        REQUIRE(kept);
        CHECK(kept->phase == state.phase);
        CHECK(kept->cycles.size() == state.cycles.size());
        CHECK(test::names_in(folder.data()).empty());
    };
    state.phase = cli::CampaignPhase::verifying;
    go_on();
    state.phase = cli::CampaignPhase::idle;
    state.cycles.push_back({.number = 1, .outcome = reports::CutOutcome::nothing});
    go_on();
}

TEST_CASE("a campaign notes where its volume is mounted when the first run begins") {
    const test::IoproofFolder folder;
    const auto process = folder.start({"powertest", "--state", "state", "-dir", "data", "--cycles", "1", "--least", "0", "--most", "1",
                                       "--moments", "any", "--cut", "false", "--", "-size", "4"});
    CHECK(process->wait() == 3);  // the cut has failed
    CHECK_THAT(process->error(), ContainsSubstring("1 cut, after 0 to 1 s, drawn from --seed "));
    const auto kept = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(kept);
    CHECK(kept->plan.folders == std::vector<std::string>{folder.data().string()});
    REQUIRE(kept->mounts.size() == 1);
    CHECK(folder.data().string().starts_with(kept->mounts[0]));
}

TEST_CASE("the unit of a campaign is quoted as systemd expects") {
    cli::CampaignState state = example_campaign();
    state.plan.run_words = {"-dir", "a b"};
    state.plan.folders = {"/here/a b"};
    const std::string unit = unit_text(state, "/opt/io%proof", "/st$ate");
    CHECK_THAT(unit, ContainsSubstring("ExecStart=\"/opt/io%%proof\" powertest --state \"/st$$ate\"\n"));
    CHECK_THAT(unit, ContainsSubstring("RequiresMountsFor=\"/st$ate\" \"/here\" \"/here/a b\"\n"));
}

TEST_CASE("a name with a line feed or a carriage return, which would end a line of the unit, is refused") {
    cli::CampaignState state = example_campaign();
    CHECK_THROWS_WITH(unit_text(state, "/p", "/s\nExecStart=/x"),
                      ContainsSubstring("--unit: the name '/s") && ContainsSubstring("line feed"));
    for (const char* const name : {"/here/a\nb", "/here/a\rb"}) {
        state.plan.folders = {name};
        CHECK_THROWS_AS(unit_text(state, "/p", "/s"), cli::UsageError);
    }
}

TEST_CASE("the unit of a campaign waits for the disks of its configuration, the files that it names, and the ledger") {
    cli::CampaignState state = example_campaign();
    state.plan.run_words = {"-cfg", "c.toml", "--ledger", "/other/run.ledger"};
    state.plan.folders = {"/mnt/data", "/mnt/log"};
    CHECK_THAT(unit_text(state, "/p", "/s"),
               ContainsSubstring("RequiresMountsFor=\"/s\" \"/here\" \"/mnt/data\" \"/mnt/log\" \"/here/c.toml\" \"/other/run.ledger\"\n"));
}

TEST_CASE("the unit of a campaign with a witness waits for the network, and of another one does not") {
    cli::CampaignState state = example_campaign();
    CHECK(unit_text(state, "/p", "/s").find("network") == std::string::npos);
    state.plan.run_words = {"-dir", "d", "--witness", "10.0.0.5:7017", "--key-file", "k"};
    CHECK_THAT(unit_text(state, "/p", "/s"), ContainsSubstring("\nWants=network-online.target\nAfter=network-online.target\n\n[Service]"));
}

TEST_CASE("powertest refuses a folder without a campaign and a campaign with other switches") {
    const test::IoproofFolder folder;
    const auto alone = folder.start({"powertest", "--state", "state"});
    CHECK(alone->wait() == 2);
    CHECK_THAT(alone->error(), ContainsSubstring("no campaign is there"));
    CHECK_FALSE(folder.has("state"));
    const auto refused = folder.start({"powertest", "--state", "state", "-dir", "missing", "--cut", "true"});
    CHECK(refused->wait() == 3);
    CHECK_THAT(refused->error(), ContainsSubstring("the run of cycle 1 ended by itself"));
    cli::StateFolder((folder.path() / "state").string()).save(example_campaign());
    const auto other = folder.start({"powertest", "--state", "state", "-dir", "data"});
    CHECK(other->wait() == 2);
    CHECK_THAT(other->error(), ContainsSubstring("holds a campaign with other switches"));
    const auto ended = folder.start({"powertest", "--state", "state", "--end"});
    CHECK(ended->wait() == 0);
    CHECK_THAT(ended->output(), ContainsSubstring("INCOMPLETE: after 1 of 1 cut"));
}

TEST_CASE("the command that continues a campaign can be pasted into a shell, whatever its folder is called") {
    const test::IoproofFolder folder;
    const std::string spaced = (folder.path() / "my state").string();
    {
        const cli::StateFolder state(spaced);
        CHECK(state.command() == "ioproof powertest --state '" + state.path() + "'");
        CHECK(state.quoted_command() == state.command());
        state.save(example_campaign());
    }
    const auto refused = folder.start({"powertest", "--state", "my state", "-dir", "data"});
    CHECK(refused->wait() == 2);
    CHECK_THAT(refused->error(), ContainsSubstring("continue it with ioproof powertest --state '") && ContainsSubstring("/my state', or"));
    const test::TempFolder plain;
    const cli::StateFolder state(plain / "state");
    CHECK(state.quoted_command() == "'ioproof powertest --state " + state.path() + "'");
}
