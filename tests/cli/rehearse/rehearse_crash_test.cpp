// `ioproof rehearse --crash`.
#include <sstream>
#include <string>

#include "cli/rehearse/rehearsal_text.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

namespace {

cli::CrashRow crash_row(std::optional<ums::PowerLie> lie, std::uint64_t provable, std::uint64_t found) {
    cli::CrashRow row = {{lie}, {}, {}};
    row.tally.cuts = 2 * provable;
    row.tally.damaged = provable + 5;
    row.tally.provable = provable;
    row.tally.found = found;
    row.tally.unproven.at(static_cast<std::size_t>(sim::MissReason::end_of_log)) = 5;
    return row;
}

}  // namespace

TEST_CASE("a rehearsal of power cuts blames no honest device and catches a lying one, and the same seed repeats it") {
    const IoproofFolder folder;
    std::string outputs[2];
    for (std::string& output : outputs) {
        const auto run = folder.start(
            {"rehearse", "--crash", "--lie", "honest", "--lie", "fua_ignored", "--seed", "1", "--seeds", "2", "--jobs", "1", "--verbose"});
        CHECK(run->wait() == 0);
        output = run->output();
        INFO(output << run->error());
        CHECK_THAT(output, ContainsSubstring("--- seed 2, fua_ignored\nby the files: seed 2, cut at moment "));
        CHECK_THAT(output, ContainsSubstring("  found: "));
        CHECK_THAT(output, ContainsSubstring("honest                    10         0         0         0         0         0\n"));
        CHECK_THAT(output, ContainsSubstring("PASSED: of "));
        output = output.substr(0, output.find("Rehearsal of"));  // then comes how long it took
    }
    CHECK(outputs[0] == outputs[1]);
    CHECK(test::names_in(folder.path()) == std::vector<std::string>{"data"});
}

TEST_CASE("with devices in turn, a seed has the same device wherever the series begins") {
    const IoproofFolder folder;
    for (const char* const first : {"3", "4"}) {
        const auto run =
            folder.start({"rehearse", "--crash", "--lie", "in_turn", "--seed", first, "--seeds", "2", "--cuts", "1", "--verbose"});
        CHECK(run->wait() == 0);
        INFO(run->output() << run->error());
        CHECK_THAT(run->output(), ContainsSubstring("--- seed 4, overtaking\n"));
        CHECK_THAT(run->output(), ContainsSubstring("Rehearsal of 2 runs with 1 power cut each, "));
    }
}

TEST_CASE("the table of power cuts fits into 80 columns, and names the rule of each miss") {
    cli::CrashRow row = crash_row(ums::PowerLie::one_file_ignored, 1'000'000, 1'000'000);
    for (std::uint64_t& count : row.tally.unproven) count = 1'000'000;
    const std::string text = cli::crash_table_text({row, row});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
    for (std::size_t i = 0; i < sim::kMissReasonCount; ++i) {
        CHECK_THAT(text, ContainsSubstring(std::string(name_of(static_cast<sim::MissReason>(i)))));
    }
}

TEST_CASE("power cuts are judged for each device: none blamed wrongly, all that is provable found, the rest explained") {
    const cli::CrashRow honest = {{}, {}, {}};
    const cli::CrashRow lying = crash_row(ums::PowerLie::write_hole, 200, 200);
    CHECK(cli::judge_crashes({honest, lying}, 0).is_good);
    CHECK_THAT(cli::judge_crashes({honest}, 0).sentence, ContainsSubstring("nothing could be found"));

    const cli::CrashRow missed = crash_row(ums::PowerLie::flush_ignored, 200, 199);
    const cli::CrashRow many = crash_row(ums::PowerLie::fua_ignored, 100'000, 100'000);
    CHECK_THAT(cli::judge_crashes({many, missed}, 0).sentence,
               ContainsSubstring("FAILED: of 200 cuts with damage that is provable by the files on the device 'flush"));

    cli::CrashRow blamed = honest;
    blamed.tally.blamed = 1;
    CHECK_THAT(cli::judge_crashes({blamed, lying}, 0).sentence,
               ContainsSubstring("FAILED: after 1 cuts the device was blamed by the files"));
    std::swap(blamed.tally, blamed.with_ledger);
    CHECK_THAT(cli::judge_crashes({blamed, lying}, 0).sentence,
               ContainsSubstring("FAILED: after 1 cuts the device was blamed with the ledger"));

    cli::CrashRow unexplained = lying;
    unexplained.tally.unproven.at(static_cast<std::size_t>(sim::MissReason::unexplained)) = 1;
    CHECK_THAT(cli::judge_crashes({honest, unexplained}, 0).sentence, ContainsSubstring("FAILED: after 1 cuts no rule"));
    CHECK_THAT(cli::judge_crashes({honest, lying}, 3).sentence, ContainsSubstring("FAILED: 3 results contradict"));
}
