#include "cli/group/group_settings.hpp"

#include <map>
#include <string>

#include "cli/process/exit_codes.hpp"
#include "tests/support/catch.hpp"

namespace {

std::map<std::string, std::string>& variables() {
    static std::map<std::string, std::string> all;
    return all;
}

const char* variable(const char* name) {
    const auto found = variables().find(name);
    return found == variables().end() ? nullptr : found->second.c_str();
}

using Typed = std::map<std::string, std::string>;

cli::GroupWords words_of(const Typed& typed) {
    cli::GroupWords words;
    for (const auto& [name, value] : typed) cli::set_group_value(words, {.name = name, .spelling = "--" + name, .value = value});
    return words;
}

cli::GroupSettings settings_with(const std::map<std::string, std::string>& environment, const Typed& typed = {}) {
    variables() = environment;
    cli::GroupWords words = words_of(typed);
    words.name = "g";
    return cli::group_settings(words, variable);
}

}  // namespace

TEST_CASE("rank and size come from the job's environment, unless switches set them") {
    const std::map<std::string, std::string> slurm{{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "5"}};
    CHECK(settings_with(slurm).rank == 2);
    CHECK(settings_with(slurm).terms.of == 5);
    CHECK(settings_with(slurm).rank_from == "SLURM_PROCID");
    CHECK(settings_with(slurm, {{"rank", "4"}, {"of", "5"}}).rank_from == "--rank");
    CHECK(settings_with({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "3"}}).terms.of == 3);
    CHECK(settings_with({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}}).rank == 1);
    CHECK(settings_with({{"JOB_COMPLETION_INDEX", "7"}}, {{"of", "8"}}).rank == 7);
    CHECK(settings_with(slurm, {{"of", "9"}}).terms.of == 9);
    CHECK_THROWS_WITH(settings_with({{"JOB_COMPLETION_INDEX", "7"}}), ContainsSubstring("give --of N"));
    CHECK_THROWS_WITH(settings_with({{"JOB_COMPLETION_INDEX", "8"}}, {{"of", "8"}}), ContainsSubstring("JOB_COMPLETION_INDEX: '8'"));
    CHECK_THROWS_WITH(settings_with({}), ContainsSubstring("which rank is this"));
}

TEST_CASE("inconsistent switches of a group are refused") {
    cli::GroupWords alone;
    alone.rank = "1";
    CHECK_THROWS_WITH(cli::group_settings(alone, variable), ContainsSubstring("--group NAME"));
    const auto refused = [](Typed typed, const std::string& why) {
        typed.insert({{"rank", "0"}, {"of", "2"}});
        CHECK_THROWS_WITH(settings_with({}, typed), ContainsSubstring(why));
    };
    refused({{"turns", "3"}}, "--turns is not for --plan side-by-side");
    refused({{"plan", "hand-over"}, {"bursts", "aligned"}}, "--bursts is not for --plan hand-over");
    refused({{"plan", "hand-over"}, {"change", "kill,explode"}}, "'explode' is not allowed");
    refused({{"plan", "readers"}, {"turns", "3"}}, "--turns is not for --plan readers");
    refused({{"plan", "readers"}, {"bursts", "aligned"}}, "--bursts is not for --plan readers");
    refused({{"plan", "hand-over"}, {"coherence", "strict"}}, "--coherence is not for --plan hand-over");
    refused({{"coherence", "strict"}}, "--coherence is not for --plan side-by-side");
    refused({{"lease", "0"}}, "--lease: '0'");
    refused({{"burst-seconds", "5"}}, "--burst-seconds is not for");
    CHECK(settings_with({}, {{"plan", "hand-over"}, {"rank", "0"}, {"of", "3"}}).terms.turns == 3);
}

TEST_CASE("a group without further switches has the defaults that the help names") {
    const auto terms = settings_with({}, {{"rank", "0"}, {"of", "2"}}).terms;
    CHECK(terms.plan == "side-by-side");
    CHECK(terms.lease_ms == 10'000);
    CHECK(terms.wait_ms == 300'000);
    CHECK(terms.bursts.empty());
    CHECK(settings_with({}, {{"rank", "0"}, {"of", "2"}, {"bursts", "aligned"}}).terms.burst_s == 10);
    const auto typed = settings_with({}, {{"rank", "0"}, {"of", "2"}, {"lease", "3"}, {"wait-for-ranks", "4"}}).terms;
    CHECK(typed.lease_ms == 3000);
    CHECK(typed.wait_ms == 4000);
    CHECK(settings_with({}, {{"plan", "hand-over"}, {"rank", "0"}, {"of", "2"}}).terms.end_of_turn(1) == "in-order");
}

TEST_CASE("bursts last for half of --burst-seconds, on all ranks at the same time or on one after the other") {
    constexpr std::uint64_t kSecondUs = 1'000'000;
    const auto rest_s = [](const std::string& how, std::uint32_t rank, double at_s) {
        const auto terms = settings_with({}, {{"rank", "0"}, {"of", "2"}, {"bursts", how}, {"burst-seconds", "6"}}).terms;
        return static_cast<double>(terms.rest_us(rank, 600 * kSecondUs + static_cast<std::uint64_t>(at_s * 1e6))) / 1e6;
    };
    for (const std::uint32_t rank : {0U, 1U}) {
        CHECK(rest_s("aligned", rank, 0) == 0);
        CHECK(rest_s("aligned", rank, 2.9) == 0);
        CHECK(rest_s("aligned", rank, 3) == 3);
        CHECK(rest_s("aligned", rank, 5.5) == 0.5);
    }
    CHECK(rest_s("staggered", 0, 1) == 0);
    CHECK(rest_s("staggered", 1, 1) == 2);
    CHECK(rest_s("staggered", 0, 4) == 2);
    CHECK(rest_s("staggered", 1, 4) == 0);
    CHECK(settings_with({}, {{"rank", "0"}, {"of", "2"}}).terms.rest_us(0, 5 * kSecondUs) == 0);
}

TEST_CASE("readers are strict by default, and need an owner") {
    const auto of = [](Typed typed) {
        typed.insert({{"plan", "readers"}, {"rank", "1"}});
        return settings_with({}, typed);
    };
    CHECK(of({{"of", "2"}}).terms.coherence == "strict");
    CHECK(of({{"of", "2"}}).only_reads());
    CHECK(of({{"of", "2"}, {"coherence", "close-to-open"}}).terms.coherence == "close-to-open");
    CHECK_FALSE(settings_with({}, {{"plan", "readers"}, {"rank", "0"}, {"of", "2"}}).only_reads());
    CHECK_THROWS_WITH(settings_with({}, {{"plan", "readers"}, {"rank", "0"}, {"of", "1"}}), ContainsSubstring("at least one reader"));
    CHECK_THROWS_WITH(of({{"of", "2"}, {"coherence", "loose"}}), ContainsSubstring("strict or close-to-open"));
}

TEST_CASE("the last turn ends in order, and the others by the changes in the list, cyclically") {
    const auto terms =
        settings_with({}, {{"plan", "hand-over"}, {"rank", "0"}, {"of", "2"}, {"turns", "5"}, {"change", "kill,fence"}}).terms;
    CHECK(terms.end_of_turn(1) == "kill");
    CHECK(terms.end_of_turn(2) == "fence");
    CHECK(terms.end_of_turn(3) == "kill");
    CHECK(terms.end_of_turn(5) == "in-order");
    CHECK(terms.rank_of_turn(4) == 1);
}
