// `ioproof rehearse`, and a rehearsal on real files.
#include <sstream>
#include <string>

#include "cli/process/exit_codes.hpp"
#include "cli/rehearse/rehearsal_text.hpp"
#include "cli/rehearse/rehearse_arguments.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

namespace {

std::string refusal_of(const std::vector<std::string>& words) {
    try {
        static_cast<void>(cli::parse_rehearse(words));
    } catch (const cli::UsageError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("a rehearsal of one class prints a table and succeeds, and the same seed repeats it") {
    const IoproofFolder folder;
    std::string outputs[2];
    for (std::string& output : outputs) {
        const auto run = folder.start({"rehearse", "--fault", "torn_page:0.05", "--seed", "3", "--verbose"});
        CHECK(run->wait() == 0);
        output = run->output();
        INFO(output << run->error());
        CHECK_THAT(output, ContainsSubstring("torn_page"));
        CHECK_THAT(output, ContainsSubstring("PASSED: every fault"));
        CHECK_THAT(output, ContainsSubstring("trace "));
        output = output.substr(0, output.find("Rehearsal of"));  // then comes how long it took
    }
    CHECK(outputs[0] == outputs[1]);
    CHECK(test::names_in(folder.path()) == std::vector<std::string>{"data"});
}

TEST_CASE("a rehearsal without faults finds nothing, and one whose faults never occur says that it proves nothing") {
    const IoproofFolder folder;
    const auto sound = folder.start({"rehearse", "--fault", "none", "--seeds", "3", "--jobs", "2"});
    CHECK(sound->wait() == 0);
    CHECK_THAT(sound->output(), ContainsSubstring("Rehearsal of 3 runs"));
    const auto idle = folder.start({"rehearse", "--fault", "torn_page:1e-12", "--seed", "3"});
    CHECK(idle->wait() == 0);
    CHECK_THAT(idle->output(), ContainsSubstring("proves nothing"));
}

TEST_CASE("the table fits into 80 columns") {
    sim::FaultTallies tallies{};
    for (sim::FaultTally& tally : tallies) tally = {1'000'000, 1'000'000, 1'000'000, 1'000'000, 100'000, 100'000, 100'000};
    std::istringstream lines(cli::tallies_text(tallies));
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) {
        CHECK(line.size() <= 80);
        ++count;
    }
    CHECK(count == 2 + static_cast<int>(sim::kFindingKindCount) + 1);
}

TEST_CASE("each switch of a rehearsal is accepted, and invalid values are refused with the valid ones") {
    const cli::RehearseArguments arguments = cli::parse_rehearse({"--fault", "stale_read:0.5", "--fault=io_error", "--seed=7", "--seeds",
                                                                  "9", "--jobs", "3", "--place", "last", "--during=main_run", "--verbose"});
    REQUIRE(arguments.faults.size() == 2);
    CHECK(arguments.faults[0].rate == 0.5);
    CHECK(arguments.faults[1].rate == 0);
    CHECK(arguments.first_seed == 7);
    CHECK(arguments.seed_count == 9);
    CHECK(arguments.jobs == 3);
    CHECK(arguments.place == sim::FaultPlace::last_page);
    CHECK(arguments.during == sim::Phase::main_run);
    CHECK(arguments.verbose);
    const cli::RehearseArguments plain = cli::parse_rehearse({});
    CHECK(plain.first_seed == 1);
    CHECK(plain.seed_count == 20);
    CHECK_FALSE(plain.verbose);
    CHECK(cli::parse_rehearse({"--seed", "7"}).seed_count == 1);
    CHECK(cli::parse_rehearse({"--fault", "none"}).without_faults);
    CHECK(cli::parse_rehearse({"--seed", "18446744073709551614", "--seeds", "2"}).seed_count == 2);
    CHECK(refusal_of({"--seed", "18446744073709551614", "--seeds", "3"}) ==
          "--seeds: 3 are too many from --seed 18446744073709551614 on; the last seed is 18446744073709551615");

    CHECK_THAT(refusal_of({"--fault", "wrong"}), ContainsSubstring("'wrong' is not a class of faults; allowed are stale_read"));
    CHECK_THAT(refusal_of({"--fault", "none", "--fault", "torn_page"}), ContainsSubstring("none"));
    CHECK(refusal_of({"--fault", "wrong"}).ends_with(", none"));
    CHECK(refusal_of({"--fault", "torn_page:2"}).ends_with("the chance of each page"));
    CHECK(refusal_of({"--fault", "none:0.5"}).ends_with("allowed is none without a rate"));
    CHECK_THAT(refusal_of({"--place", "there"}), ContainsSubstring("allowed is anywhere"));
    CHECK_THAT(refusal_of({"--during", "lunch"}), ContainsSubstring("allowed is initial_update"));
    CHECK_THAT(refusal_of({"--seeds", "0"}), ContainsSubstring("allowed is a whole number"));
    CHECK_THAT(refusal_of({"--seeds"}), ContainsSubstring("a value is missing"));
    CHECK_THAT(refusal_of({"--sides", "1"}), ContainsSubstring("unknown switch"));
    CHECK_THAT(refusal_of({"word"}), ContainsSubstring("is not a switch"));
}

TEST_CASE("switches of power cuts are accepted only with --crash, and those of faults only without it") {
    const cli::RehearseArguments drawn = cli::parse_rehearse({"--crash", "--lie", "honest", "--lie=rolled_back", "--cuts", "7"});
    CHECK(drawn.crash);
    CHECK(drawn.cuts == 7);
    CHECK(!drawn.devices_in_turn);
    REQUIRE(drawn.devices.size() == 2);
    CHECK(!drawn.devices[0].lie);
    CHECK(drawn.devices[1].lie == ums::PowerLie::rolled_back);
    CHECK(cli::parse_rehearse({"--crash"}).devices.size() == 1 + ums::kPowerLieCount);
    CHECK(cli::parse_rehearse({"--crash"}).cuts == 4);
    const cli::RehearseArguments in_turn = cli::parse_rehearse({"--crash", "--lie", "in_turn"});
    CHECK(in_turn.devices_in_turn);
    CHECK(in_turn.devices.size() == 1 + ums::kPowerLieCount);

    CHECK_THAT(refusal_of({"--crash", "--lie", "white"}), ContainsSubstring("allowed is honest, flush_ignored"));
    CHECK_THAT(refusal_of({"--crash", "--cuts", "0"}), ContainsSubstring("1"));
    CHECK_THAT(refusal_of({"--crash", "--fault", "none"}), ContainsSubstring("--fault is about faults"));
    CHECK_THAT(refusal_of({"--crash", "--place", "last"}), ContainsSubstring("--place is about faults"));
    CHECK_THAT(refusal_of({"--crash", "--during", "main_run"}), ContainsSubstring("--during is about faults"));
    CHECK_THAT(refusal_of({"--lie", "honest"}), ContainsSubstring("--lie is for --crash"));
    CHECK_THAT(refusal_of({"--cuts", "4"}), ContainsSubstring("--cuts is for --crash"));
}

TEST_CASE("faults are injected into a run on real files, found, and every report says that it was a rehearsal") {
    const IoproofFolder folder;
    const std::string notice = "REHEARSAL: faults are injected on purpose: bit_corruption:0.01";
    const auto run = folder.start_run("2", {"--inject", "bit_corruption:0.01", "--seed", "1"});
    CHECK(run->wait() == 1);
    const std::string output = run->output();
    INFO(output << run->error());
    CHECK_THAT(run->error(), ContainsSubstring(notice));
    CHECK(output.find(notice) != output.rfind(notice));  // at the beginning of the report and at its end
    const std::string log = folder.read("sqliosim.log.xml");
    CHECK(folder.log_error().empty());
    CHECK(log.find(notice) != log.rfind(notice));

    const auto real = folder.start_run("1");
    CHECK(real->wait() == 0);
    CHECK_THAT(real->output() + real->error() + folder.read("sqliosim.log.xml"), !ContainsSubstring("REHEARSAL"));
    CHECK(folder.start_run("1", {"--inject", "bit_corruption:2"})->wait() == 2);
}

TEST_CASE("ephemeral files are deleted even after a finding") {
    const IoproofFolder folder;
    for (const bool is_ephemeral : {false, true}) {
        std::vector<std::string> words{"--inject", "bit_corruption:0.5"};
        if (is_ephemeral) words.emplace_back("--ephemeral");
        CHECK(folder.start_run("1", words)->wait() == 1);
        CHECK(test::names_in(folder.data()).empty() == is_ephemeral);
    }
}
