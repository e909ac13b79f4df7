// `ioproof rehearse --hosts`.
#include <sstream>
#include <string>

#include "cli/rehearse/hosts_command.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

TEST_CASE("a rehearsal of hosts names the faults between them, and the same seed repeats it") {
    const IoproofFolder folder;
    std::string outputs[2];
    for (std::string& output : outputs) {
        const auto run = folder.start({"rehearse", "--hosts", "--seed", "1", "--seeds", "4", "--jobs", "1", "--verbose"});
        CHECK(run->wait() == 0);
        output = run->output();
        INFO(output << run->error());
        CHECK_THAT(output, ContainsSubstring("--- seed 4, zombie\n"));
        CHECK_THAT(output, ContainsSubstring("missing_after_hand_over") && ContainsSubstring("stale_on_new_owner"));
        CHECK_THAT(output, ContainsSubstring("PASSED: every fault"));
        output = output.substr(0, output.find("Rehearsal of"));  // then comes how long it took
    }
    CHECK(outputs[0] == outputs[1]);
    CHECK(test::names_in(folder.path()) == std::vector<std::string>{"data"});
}

TEST_CASE("with faults in turn, a seed has the same fault wherever the series begins") {
    const IoproofFolder folder;
    for (const char* const first : {"9", "10"}) {
        const auto run = folder.start({"rehearse", "--hosts", "--hand-over", "in_turn", "--seed", first, "--seeds", "2", "--verbose"});
        CHECK(run->wait() == 0);
        INFO(run->output() << run->error());
        CHECK_THAT(run->output(), ContainsSubstring("--- seed 10, late_write\n"));
    }
}

TEST_CASE("switches of another kind of rehearsal are refused with a reason") {
    const IoproofFolder folder;
    const auto answer = [&](const std::vector<std::string>& words) {
        const auto run = folder.start(words);
        CHECK(run->wait() == 2);
        return run->error();
    };
    CHECK_THAT(answer({"rehearse", "--hand-over", "zombie"}), ContainsSubstring("--hand-over is for --hosts"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--crash"}), ContainsSubstring("two rehearsals"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--lie", "honest"}), ContainsSubstring("--lie is not for --hosts"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--hand-over", "ghost"}), ContainsSubstring("late_write, zombie or in_turn"));
    CHECK_THAT(answer({"rehearse", "--readers", "each"}), ContainsSubstring("--readers is for --hosts"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--coherence", "strict"}), ContainsSubstring("--coherence is for --readers"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--readers", "each", "--coherence", "lax"}), ContainsSubstring("strict or close-to-open"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--readers", "each", "--hand-over", "zombie"}), ContainsSubstring("two rehearsals"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--readers", "each", "--lie", "honest"}), ContainsSubstring("--lie is not for --hosts"));
    CHECK_THAT(answer({"rehearse", "--loss", "none"}), ContainsSubstring("--loss is for --hosts"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--loss", "owner_killed"}), ContainsSubstring("--loss owner_killed is for --readers"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--readers", "each", "--loss", "ghost"}), ContainsSubstring("none, owner_killed"));
    CHECK_THAT(answer({"rehearse", "--hosts", "--readers", "ghost"}), ContainsSubstring("old_size, each or in_turn"));
}

TEST_CASE("the table of hosts fits into 80 columns, and shows what was missed") {
    cli::HostsRow row{"misdirected_write", {}};
    row.tally = {.hosts = 999'999, .injected = 999'999, .given = 999'999, .found = 999'990, .named_right = 999'980, .false_alarms = 3};
    const std::string text = cli::hosts_table_text({row}, {"", "readers", "reader", "series", "a reader"});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
    CHECK_THAT(text, ContainsSubstring(" 999990 999980     10      9       3\n"));
    CHECK_FALSE(row.tally.is_good());
}

TEST_CASE("a rehearsal of readers names the faults between them and the owner, and the same seed repeats it") {
    const IoproofFolder folder;
    std::string outputs[2];
    for (std::string& output : outputs) {
        const auto run =
            folder.start({"rehearse", "--hosts", "--readers", "each", "--seed", "1", "--seeds", "2", "--jobs", "1", "--verbose"});
        CHECK(run->wait() == 0);
        output = run->output();
        INFO(output << run->error());
        CHECK_THAT(output, ContainsSubstring("--- seed 2, old_size, ") && ContainsSubstring("stale_on_reader"));
        CHECK_THAT(output, ContainsSubstring("PASSED: every fault that was given to a reader"));
        CHECK_THAT(output, ContainsSubstring(" series of an owner and its readers, "));  // also right for one
        output = output.substr(0, output.find("Rehearsal of"));                          // then comes how long it took
    }
    CHECK(outputs[0] == outputs[1]);
    CHECK(test::names_in(folder.path()) == std::vector<std::string>{"data"});
}

TEST_CASE("the coherence that a volume promises comes from --coherence, or from the seed without it") {
    const IoproofFolder folder;
    const auto output = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"rehearse", "--hosts", "--readers", "honest", "--seeds", "8", "--verbose"};
        words.insert(words.end(), more.begin(), more.end());
        const auto run = folder.start(words);
        CHECK(run->wait() == 0);
        return run->output();
    };
    const std::string strict = output({"--coherence", "strict"});
    CHECK_THAT(strict, ContainsSubstring(", honest, strict\n") && !ContainsSubstring("close-to-open"));
    CHECK_THAT(output({"--coherence", "close-to-open"}), !ContainsSubstring(", strict\n"));
    CHECK_THAT(output({}), ContainsSubstring(", strict\n") && ContainsSubstring(", close-to-open\n"));
}

TEST_CASE("a rehearsal of hosts loses the one that --loss names, and says in how many series") {
    const IoproofFolder folder;
    const auto output = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"rehearse", "--hosts", "--seeds", "4", "--verbose"};
        words.insert(words.end(), more.begin(), more.end());
        const auto run = folder.start(words);
        CHECK(run->wait() == 0);
        return run->output();
    };
    CHECK_THAT(output({"--readers", "honest", "--loss", "none"}), ContainsSubstring("in 0 of them with a host lost"));
    CHECK_THAT(output({"--readers", "honest", "--loss", "owner_killed"}), ContainsSubstring(", owner_killed\n"));
    CHECK_THAT(output({"--hand-over", "honest", "--loss", "witness_lost"}),
               ContainsSubstring("in 4 of them with a host lost") && ContainsSubstring(", witness_lost\n"));
}
