#include "cli/powertest/campaign.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "cli/powertest/state_folder.hpp"
#include "cli/process/exit_codes.hpp"
#include "tests/cli/group/hosts.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;

namespace {

// Of one cut on the files in data/, in the folder state/.
cli::CampaignState one_cut(const test::IoproofFolder& folder) {
    cli::CampaignState state;
    state.plan = {
        .folder = folder.path().string(), .run_words = {"-dir", "data"}, .cycles = 1, .cut = "true", .timeout_s = 60, .moments = {"any"}};
    return state;
}

void save_state(const test::IoproofFolder& folder, const cli::CampaignState& state) {
    cli::StateFolder((folder.path() / "state").string()).save(state);
}

// The files of a completed run, of which two pages are overwritten then.
void leave_wrong_pages(const test::IoproofFolder& folder) {
    REQUIRE(folder.start_run("1")->wait() == 0);
    std::fstream file(folder.data_file(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(100 * 8192);
    file << std::string(2 * 8192, 'x') << std::flush;
}

// A command that does what the run of the first cycle does with a finding of this year.
std::string report_a_finding_of(const std::string& year) {
    return R"(echo '{"class":"lost_write","warning":false,"utc":")" + year +
           R"(-01-01T00:00:00.000000Z"}' >> state/cycle-0001.run.findings.jsonl)";
}

}  // namespace

TEST_CASE("a stopped campaign lets the command of a cut or a restore end, however long that takes") {
    const test::IoproofFolder folder;
    std::filesystem::create_directory(folder.path() / "volume");
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-dir", "volume"};
    state.plan.restore = "touch begun && sleep 11 && touch ended";
    state.phase = cli::CampaignPhase::cutting;
    save_state(folder, state);
    const auto process = folder.start({"powertest", "--state", "state"});
    for (int i = 0; i < 1000 && !folder.has("begun"); ++i) std::this_thread::sleep_for(10ms);
    REQUIRE(folder.has("begun"));
    process->send(SIGINT);
    CHECK(process->wait() == cli::to_int(cli::ExitCode::stopped));
    CHECK(folder.has("ended"));
}

TEST_CASE("a campaign that was killed before its command had made the cut does not count that cycle as a cut") {
    const test::IoproofFolder folder;
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-dir", "data", "-size", "4"};
    state.plan.cut = "test -e killed || { touch killed; kill -9 $PPID; }";
    state.plan.least_s = state.plan.most_s = 1;
    state.makes_files = true;
    save_state(folder, state);
    CHECK(folder.start({"powertest", "--state", "state"})->wait() == 128 + SIGKILL);
    folder.start({"powertest", "--state", "state"})->wait();
    const auto left = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(left);
    REQUIRE(left->cycles.size() == 2);
    CHECK_FALSE(left->cycles[0].was_cut);
    CHECK(left->cycles[1].was_cut);
}

TEST_CASE("what a run that made its files anew has left is verified if it ended by itself, before the next run recreates it") {
    const test::IoproofFolder folder;
    leave_wrong_pages(folder);
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-dir", "volume"};
    state.cycles.push_back({.number = 1, .outcome = reports::CutOutcome::nothing});
    state.plan.cycles = 2;
    state.plan.least_s = state.plan.most_s = 60;
    save_state(folder, state);
    const auto ended = folder.start({"powertest", "--state", "state"});
    CHECK(ended->wait() == 3);  // the folder is not there
    CHECK_THAT(ended->error(), ContainsSubstring("the run of cycle 2 ended by itself") && ContainsSubstring("verifies what it has left"));
    std::filesystem::rename(folder.data(), folder.path() / "volume");
    const auto verified = folder.start({"powertest", "--state", "state"});
    CHECK(verified->wait() == 1);
    CHECK_THAT(verified->error(), ContainsSubstring("cycle 2: ended, not cut,") && ContainsSubstring("FOUND"));
}

TEST_CASE("a campaign whose run had logged changes does not begin anew if all files are gone after the cut") {
    const test::IoproofFolder folder;
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-dir", "data", "-size", "4"};
    state.plan.cut = "rm data/sqliosim.*dx";
    state.plan.least_s = state.plan.most_s = 1;
    state.plan.moments = {"flush"};
    state.makes_files = true;
    save_state(folder, state);
    const auto process = folder.start({"powertest", "--state", "state"});
    CHECK(process->wait() == 3);
    CHECK_THAT(process->error(), ContainsSubstring("cycle 1: the storage has lost all files") && ContainsSubstring("verifies again"));
    const auto left = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(left);
    CHECK(left->cycles.empty());
    CHECK(left->phase == cli::CampaignPhase::verifying);
}

TEST_CASE("a campaign that found something ends with 1 even if its page cannot be written, and its JSON is there") {
    const test::IoproofFolder folder;
    cli::CampaignState state = one_cut(folder);
    state.is_over = true;
    state.cycles.push_back({.number = 1, .outcome = reports::CutOutcome::findings, .finding_count = 1, .said = "a write is lost"});
    save_state(folder, state);
    const auto process = folder.start({"powertest", "--state", "state", "--json", "p.json", "--html", "/dev/full"});
    CHECK(process->wait() == 1);
    CHECK_THAT(process->error(), ContainsSubstring("HTML file '/dev/full': could not be written"));
    CHECK_THAT(folder.read("p.json"), ContainsSubstring("FAIL"));
}

TEST_CASE("a campaign that found something says so and ends with 1 even if its state cannot be saved") {
    const test::IoproofFolder folder;
    leave_wrong_pages(folder);
    cli::CampaignState state = one_cut(folder);
    state.phase = cli::CampaignPhase::verifying;
    save_state(folder, state);
    std::filesystem::create_directory(folder.path() / "state/campaign.json.new");
    const auto process = folder.start({"powertest", "--state", "state"});
    CHECK(process->wait() == 1);
    CHECK_THAT(process->error(), ContainsSubstring("FOUND") && ContainsSubstring("campaign.json.new"));
    CHECK_THAT(process->output(), ContainsSubstring("FAIL"));
}

TEST_CASE("if a link has the name of a run's output, the error says so, and nothing of the file that it leads to") {
    const test::IoproofFolder folder;
    folder.write("other", "a line of another file\n");
    cli::CampaignState state = one_cut(folder);
    state.plan.least_s = state.plan.most_s = 60;
    save_state(folder, state);
    std::filesystem::create_symlink("../other", folder.path() / "state/cycle-0001.run.txt");
    const auto process = folder.start({"powertest", "--state", "state"});
    CHECK(process->wait() == 3);
    CHECK_THAT(process->error(), ContainsSubstring("cycle-0001.run.txt is a link") && !ContainsSubstring("a line of another file"));
    CHECK(folder.read("other") == "a line of another file\n");
}

TEST_CASE("a finding of a run that goes on after it ends the campaign before the cut") {
    const test::IoproofFolder folder;
    folder.write("c.ini",
                 "[CONFIG]\nStopOnError=FALSE\n[File1]\nFileName=data/a.mdx\nInitialSize=4\nMaxSize=8\nIncrement=1\n"
                 "[File2]\nFileName=data/a.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n");
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-cfg", "c.ini", "--inject", "bit_corruption:0.05"};
    state.plan.least_s = state.plan.most_s = 60;
    save_state(folder, state);
    const auto process = folder.start({"powertest", "--state", "state"});
    CHECK(process->wait() == 1);
    CHECK_THAT(process->output(), ContainsSubstring("the run itself found"));
    const auto left = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(left);
    REQUIRE(left->cycles.size() == 1);
    CHECK_FALSE(left->cycles[0].was_cut);
}

TEST_CASE("wrong data that a run had reported before the power was cut ends the campaign, and failed requests do not") {
    const test::IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    const bool is_wrong_data = GENERATE(true, false);
    cli::CampaignState state = one_cut(folder);
    state.plan.cut.clear();  // a person at the plug
    state.phase = cli::CampaignPhase::running;
    save_state(folder, state);
    folder.write("state/cycle-0001.run.findings.jsonl",
                 std::string(R"({"class":")") + (is_wrong_data ? "lost_write" : "io_error") + R"(","warning":false})" + "\n");
    CHECK(folder.start({"powertest", "--state", "state"})->wait() == (is_wrong_data ? 1 : 0));
    const auto left = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(left);
    REQUIRE(left->cycles.size() == 1);
    CHECK(left->cycles[0].was_cut == !is_wrong_data);
}

TEST_CASE("what a run had found before --cut began ends the campaign even if it is reported later, and what it finds after it does not") {
    const test::IoproofFolder folder;
    const bool is_before = GENERATE(true, false);
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-dir", "data", "-size", "4"};
    state.plan.cut = report_a_finding_of("2999");
    if (is_before) state.plan.cut += "; " + report_a_finding_of("2001");
    state.plan.least_s = state.plan.most_s = 1;
    state.plan.moments = {"flush"};
    state.makes_files = true;
    save_state(folder, state);
    const auto process = folder.start({"powertest", "--state", "state"});
    const int exit_code = process->wait();
    CAPTURE(exit_code, process->output(), process->error());
    CHECK((exit_code == 1) == is_before);
    CHECK((process->error().find("which the cut may explain") == std::string::npos) == is_before);
    const auto left = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(left);
    REQUIRE(left->cycles.size() == 1);
    CHECK(left->cycles[0].was_cut);
    CHECK(left->cycles[0].moment == "flush");
    CHECK((left->cycles[0].outcome == reports::CutOutcome::findings) == is_before);
    CHECK(left->cycles[0].finding_count == (is_before ? 1U : 0U));
}

TEST_CASE("what a run had found before --cut began ends the campaign even if the command fails") {
    const test::IoproofFolder folder;
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-dir", "data", "-size", "4"};
    state.plan.cut = report_a_finding_of("2001") + "; false";
    state.plan.least_s = state.plan.most_s = 1;
    state.makes_files = true;
    save_state(folder, state);
    const auto process = folder.start({"powertest", "--state", "state"});
    CHECK(process->wait() == 1);
    const auto left = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(left);
    REQUIRE(left->cycles.size() == 1);
    CHECK_FALSE(left->cycles[0].was_cut);
}

TEST_CASE("what a run had found before --cut began ends the campaign even if powertest was killed while the command worked") {
    const test::IoproofFolder folder;
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-dir", "data", "-size", "4"};
    state.plan.cut = report_a_finding_of("2001") + "; kill -9 $PPID";
    state.plan.least_s = state.plan.most_s = 1;
    state.makes_files = true;
    save_state(folder, state);
    CHECK(folder.start({"powertest", "--state", "state"})->wait() == 128 + SIGKILL);
    CHECK(folder.start({"powertest", "--state", "state"})->wait() == 1);
    const auto left = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(left);
    REQUIRE(left->cycles.size() == 1);
    CHECK(left->cycles[0].outcome == reports::CutOutcome::findings);
    CHECK(left->cycles[0].finding_count == 1);
    CHECK_FALSE(left->cycles[0].was_cut);
}

TEST_CASE("intact files of another run are a finding of the first cycle if its run had logged something, and otherwise none") {
    const test::IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    const bool has_logged = GENERATE(true, false);
    cli::CampaignState state = one_cut(folder);
    state.phase = cli::CampaignPhase::verifying;
    state.was_cut = true;
    state.has_logged = has_logged;
    save_state(folder, state);
    folder.write("state/cycle-0001.run.json", R"({"run": {"run_id": "00000000000000ab", "unfinished": true}})");
    const auto process = folder.start({"powertest", "--state", "state", "--json", "p.json", "--html", "p.html"});
    CHECK(process->wait() == (has_logged ? 1 : 0));
    const std::string found = "the files are of another run";
    CHECK((process->output().find(found) != std::string::npos) == has_logged);
    CHECK((folder.read("p.json").find(found) != std::string::npos) == has_logged);
    CHECK((folder.read("p.html").find(found) != std::string::npos) == has_logged);
}

TEST_CASE("a cut that brings the files of an earlier run back is found, in the first cycle and in a later one") {
    const test::IoproofFolder folder;
    REQUIRE(folder.start_run("1")->wait() == 0);
    std::filesystem::copy(folder.data(), folder.path() / "earlier");
    const bool is_first = GENERATE(true, false);
    cli::CampaignState state = one_cut(folder);
    state.plan.run_words = {"-dir", "data", "-size", "4"};
    state.plan.cycles = 2;
    state.plan.cut = "rm data/*; cp earlier/* data";
    if (!is_first) state.plan.cut = "if test -e second; then " + state.plan.cut + "; else touch second; fi";
    state.plan.least_s = state.plan.most_s = 1;
    state.plan.moments = {"flush"};
    save_state(folder, state);
    const auto process = folder.start({"powertest", "--state", "state"});
    const int exit_code = process->wait();
    CAPTURE(process->output(), process->error());
    CHECK(exit_code == 1);
    CHECK_THAT(process->output(), ContainsSubstring("the files are of another run"));
    const auto left = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(left);
    REQUIRE(left->cycles.size() == (is_first ? 1U : 2U));
    CHECK(left->cycles.back().outcome == reports::CutOutcome::findings);
}

TEST_CASE("the time until a cut does not begin while the run waits for the others of its group") {
    group_test::Hosts hosts;
    cli::CampaignState state = one_cut(hosts.folder);
    state.plan.run_words = {"-dir", "data", "-size", "4", "--group", "g", "--rank", "0", "--of", "2"};
    const std::string witness = "127.0.0.1:" + std::to_string(hosts.port);
    state.plan.run_words.insert(state.plan.run_words.end(), {"--witness", witness, "--key-file", "key"});
    state.plan.cut = "touch cut";
    state.plan.least_s = state.plan.most_s = 1;
    state.makes_files = true;
    save_state(hosts.folder, state);
    const auto campaign = hosts.folder.start({"powertest", "--state", "state"});
    for (int i = 0; i < 3000 && !hosts.folder.has("state/cycle-0001.run.txt"); ++i) std::this_thread::sleep_for(10ms);
    REQUIRE(hosts.folder.has("state/cycle-0001.run.txt"));
    std::this_thread::sleep_for(3s);
    CHECK_FALSE(hosts.folder.has("cut"));
    const auto other = hosts.start(1, 2, "other", {"-d", "60"});
    CHECK(campaign->wait() == 0);
    const auto left = cli::StateFolder((hosts.folder.path() / "state").string()).load();
    REQUIRE(left);
    REQUIRE(left->cycles.size() == 1);
    CHECK(left->cycles[0].was_cut);
    CHECK(left->cycles[0].outcome == reports::CutOutcome::intact);
}

TEST_CASE("a campaign that is ended says that what its last run has left is not verified, which no cut need have ended") {
    const test::IoproofFolder folder;
    cli::CampaignState state = one_cut(folder);
    state.phase = cli::CampaignPhase::verifying;
    save_state(folder, state);
    const auto process = folder.start({"powertest", "--state", "state", "--end"});
    CHECK(process->wait() == 3);  // none could be verified
    CHECK_THAT(process->error(), ContainsSubstring("cycle 1: what its run has left is not verified; 'ioproof verify' does it"));
}

TEST_CASE("a campaign in which a link has the name of the verification's output says so") {
    const test::IoproofFolder folder;
    cli::CampaignState state = one_cut(folder);
    state.phase = cli::CampaignPhase::verifying;
    save_state(folder, state);
    std::filesystem::create_symlink("nowhere/verify.txt", folder.path() / "state/cycle-0001.verify.txt");
    const auto process = folder.start({"powertest", "--state", "state"});
    CHECK(process->wait() == 3);
    CHECK_THAT(process->error(), ContainsSubstring("cycle-0001.verify.txt is a link, or something else that is no file; remove it"));
}

TEST_CASE("a campaign replaces unfinished files only if none of a run's files were there, not even those of tempdb and backups") {
    const std::string foreign =
        GENERATE("data/a.mdx", "data/tempdb1.mdx", "data/ioproof_backup_1.bak", "data/restored_1_a.mdx", "data/other");
    const test::IoproofFolder folder;
    folder.write("c.ini",
                 "[File1]\nFileName=data/a.mdx\nInitialSize=4\nMaxSize=8\nIncrement=1\n"
                 "[File2]\nFileName=data/a.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n"
                 "[TempdbUser]\nUserCount=1\nFileCount=1\nFileSize=8\n"
                 "[BackupUser]\nBackupFolder=data\nRestoreFolder=data\n");
    folder.write(foreign, "Dear vendor");
    // The state is there, but no run has begun.
    CHECK(folder.start({"powertest", "--state", "state", "-cfg", "c.ini", "--json", "missing/p.json"})->wait() == 3);
    const auto state = cli::StateFolder((folder.path() / "state").string()).load();
    REQUIRE(state);
    CAPTURE(foreign);
    CHECK(state->makes_files == (foreign == "data/other"));
}

TEST_CASE("a campaign whose JSON and page are the same file is refused before it begins") {
    const test::IoproofFolder folder;
    const auto process = folder.start({"powertest", "--state", "state", "-dir", "data", "--cycles", "1", "--cut", "true", "--least", "0",
                                       "--most", "1", "--json", "report", "--html", "./report"});
    CHECK(process->wait() == 2);
    CHECK_THAT(process->error(), ContainsSubstring("--json 'report' and --html './report' are the same file"));
    CHECK_FALSE(folder.has("state"));
    CHECK_FALSE(folder.has("report"));
}
