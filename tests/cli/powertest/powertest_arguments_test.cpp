#include "cli/powertest/powertest_arguments.hpp"

#include <string>
#include <vector>

#include "cli/process/exit_codes.hpp"
#include "tests/support/catch.hpp"

using Words = std::vector<std::string>;

namespace {

std::string powertest_mistake(const Words& words) {
    try {
        static_cast<void>(cli::parse_powertest(words));
    } catch (const cli::UsageError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a powertest passes the files and everything after -- to the run") {
    const auto arguments =
        cli::parse_powertest({"--state", "s", "-dir", "d", "--cycles", "7", "--cut", "off", "--most", "5", "--", "-size", "64"});
    CHECK(arguments.state_path == "s");
    CHECK(arguments.plan.run_words == Words{"-dir", "d", "-size", "64"});
    CHECK(arguments.plan.cycles == 7);
    CHECK(arguments.plan.cut == "off");
    CHECK(arguments.plan.least_s == 5);
    CHECK(arguments.plan.most_s == 5);
}

TEST_CASE("a powertest without further switches has the defaults that its help names") {
    const auto plan = cli::parse_powertest({"--state", "s", "-dir", "d", "--cut", "off"}).plan;
    CHECK(plan.cycles == 10);
    CHECK(plan.least_s == 10);
    CHECK(plan.most_s == 60);
    CHECK(plan.timeout_s == 300);
    CHECK(cli::parse_powertest({"--state", "s", "-dir", "d", "--cut", "off", "--timeout", "7"}).plan.timeout_s == 7);
}

TEST_CASE("a powertest cuts at the named moments, or at all kinds of moments in turn") {
    const Words words{"--state", "s", "-dir", "d", "--cut", "off"};
    CHECK(cli::parse_powertest(words).plan.moments == Words{"any", "checkpoint", "flush", "growth"});
    Words some = words;
    some.insert(some.end(), {"--moments", "growth,any"});
    CHECK(cli::parse_powertest(some).plan.moments == Words{"growth", "any"});
    for (const char* const wrong : {"soon", "any,soon", ",any"}) {
        Words bad = words;
        bad.insert(bad.end(), {"--moments", wrong});
        CHECK_THAT(powertest_mistake(bad), ContainsSubstring("some of any, checkpoint, flush, growth"));
    }
}

TEST_CASE("a powertest with only its state folder continues the campaign there") {
    CHECK(cli::parse_powertest({"--state", "s", "--json", "r.json"}).plan.typed.empty());
}

TEST_CASE("a verification gets the switches of the run that it understands") {
    const Words words{"-dir", "d", "-size", "64", "--engine", "threads", "-dir", "e", "--status", "0"};
    CHECK(cli::words_for_verify(words) == Words{"-dir", "d", "-dir", "e", "--engine", "threads"});
    CHECK(cli::folders_among(words) == Words{"d", "e"});
}

TEST_CASE("a powertest refuses a group whose runs could not continue after the first cut") {
    const auto mistake_with = [](const std::string& plan) {
        return powertest_mistake({"--state", "s", "-dir", "d", "--", "--witness", "10.0.0.5:7017", "--key-file", "k", "--group", "g",
                                  "--rank", "0", "--of", "2", "--plan", plan});
    };
    CHECK_THAT(mistake_with("hand-over"), ContainsSubstring("--plan hand-over: is not for the runs of a campaign"));
    CHECK_THAT(mistake_with("readers"), ContainsSubstring("--plan readers: is not for the runs of a campaign"));
    CHECK(mistake_with("side-by-side").empty());
}

TEST_CASE("errors in the arguments of a powertest are explained") {
    CHECK_THAT(powertest_mistake({}), ContainsSubstring("--state DIR is missing"));
    CHECK_THAT(powertest_mistake({"--state", "s", "--cycles", "0"}), ContainsSubstring("from 1 to 9999"));
    CHECK_THAT(powertest_mistake({"--state", "s", "-dir", "d", "--restore", "on"}), ContainsSubstring("give --cut COMMAND, too"));
    CHECK_THAT(powertest_mistake({"--state", "s", "--cut", "x", "--least", "9", "--most", "8"}), ContainsSubstring("--least 9 is more"));
    CHECK_THAT(powertest_mistake({"--state", "s", "--unit", "-dir", "d"}), ContainsSubstring("no other switches"));
    CHECK_THAT(powertest_mistake({"--state", "s", "-dir", "d", "--", "-d", "5"}),
               ContainsSubstring("-d: is not for the runs of a campaign"));
    CHECK_THAT(powertest_mistake({"--state", "s", "-dir", "d", "--", "--fail-on", "warnings > 0"}),
               ContainsSubstring("--fail-on: is not for the runs of a campaign"));
    CHECK_THAT(powertest_mistake({"--state", "s", "-dir", "d", "--", "--nonsense"}), ContainsSubstring("unknown switch '--nonsense'"));
    CHECK_THAT(powertest_mistake({"--state", "s", "folder"}), ContainsSubstring("named with -dir folder"));
}
