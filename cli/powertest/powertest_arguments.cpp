#include "cli/powertest/powertest_arguments.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/run/run_arguments.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/switch_words.hpp"

namespace cli {
namespace {

constexpr std::uint64_t kCyclesDefault = 10;
constexpr std::uint64_t kCyclesMax = 9999;
constexpr std::uint64_t kLeastSDefault = 10;
constexpr std::uint64_t kMostSDefault = 60;
constexpr std::uint64_t kTimeoutSDefault = 300;
constexpr std::array<std::string_view, 4> kMoments{"any", "checkpoint", "flush", "growth"};

constexpr std::array kPowertestSwitches{
    Switch{.name = "state",
           .value = "DIR",
           .help = "keep the campaign's state in this folder, preferably not on the tested storage. Alone: continue\n"
                   "the campaign that is there"},
    Switch{.name = "dir",
           .sqliosim = "dir",
           .value = "DIR",
           .repeatable = true,
           .help = "the files are in this folder, as with 'ioproof run'; may be repeated"},
    Switch{
        .name = "config", .alias = "cfg", .sqliosim = "cfg", .value = "FILE", .help = "configuration of the runs, as with 'ioproof run'"},
    Switch{.name = "cycles", .value = "N", .help = "power cuts (1 to 9999, default: 10)"},
    Switch{.name = "cut",
           .value = "COMMAND",
           .help = "unattended: /bin/sh runs this to cut the power of the storage. IOPROOF_RUN_PID is the process\n"
                   "of the run. Without --cut, you pull the plug"},
    Switch{.name = "restore", .value = "COMMAND", .help = "with --cut: /bin/sh runs this to bring the storage back"},
    Switch{.name = "least", .value = "SECONDS", .help = "with --cut: a run works at least this long (default: 10)"},
    Switch{.name = "most", .value = "SECONDS", .help = "with --cut: and at most this long (default: 60); the moment is random"},
    Switch{.name = "moments",
           .value = "LIST",
           .help = "with --cut: what each cut waits for once that time is over, one after the other, separated by\n"
                   "commas: any, checkpoint, flush, growth (default: all four)"},
    Switch{.name = "timeout",
           .value = "SECONDS",
           .help = "with --cut: how long each of the two commands may take, and how long the folders may then take\n"
                   "to be there again (default: 300)"},
    Switch{.name = "seed", .value = "N", .help = "with --cut: repeat the random moments of an earlier campaign"},
    Switch{.name = "json", .value = "FILE", .help = "write the report to this file at the end (docs/powertest.schema.json)"},
    Switch{.name = "html", .value = "FILE", .help = "write the report as one page for a browser, with its charts"},
    Switch{.name = "unit", .help = "print a systemd unit that continues the campaign at each boot; first end its run with Ctrl-C"},
    Switch{.name = "end", .help = "end the campaign in the folder now, with a report of its cycles"},
};

// Refuses switches that would end the runs or not let them continue, and those that powertest itself gives them.
void check_run_words(const std::vector<std::string>& run_words) {
    for (const SwitchWord& word : parse_words(run_switches(), run_words).switches) {
        constexpr std::array<std::string_view, 11> kOurs{"save",   "log",       "findings", "json",    "html",   "duration",
                                                         "resume", "ephemeral", "inject",   "moments", "fail-on"};
        if (std::find(kOurs.begin(), kOurs.end(), word.name) == kOurs.end()) continue;
        throw UsageError(
            fmt::format("{}: is not for the runs of a campaign: powertest itself ends them and keeps what they say", word.spelling));
    }
    const RunArguments run = parse_run(run_words);
    // After the first cut there is only --resume, which these plans do not have.
    if (run.group.plan == "hand-over" || run.group.plan == "readers") {
        throw UsageError(fmt::format(
            "--plan {}: is not for the runs of a campaign, which continue with the same files after each cut; allowed is side-by-side",
            run.group.plan));
    }
}

std::vector<std::string> moments_of(const SwitchWord& word) {
    std::vector<std::string> moments;
    std::stringstream list(word.value);
    for (std::string name; std::getline(list, name, ',');) moments.push_back(name);
    const auto is_known = [](const std::string& name) { return std::find(kMoments.begin(), kMoments.end(), name) != kMoments.end(); };
    if (moments.empty() || !std::all_of(moments.begin(), moments.end(), is_known)) {
        refuse_value(word, fmt::format("some of {}, separated by commas", fmt::join(kMoments, ", ")));
    }
    return moments;
}

void take_switch(PowertestArguments& arguments, const SwitchWord& word) {
    CampaignPlan& plan = arguments.plan;
    const auto is = [&](std::string_view name) { return word.name == name; };
    if (is("state")) arguments.state_path = word.value;
    if (is("html")) arguments.html_path = word.value;
    if (is("json")) arguments.json_path = word.value;
    if (is("unit")) arguments.prints_unit = true;
    if (is("end")) arguments.ends_campaign = true;
    if (is("cut")) plan.cut = word.value;
    if (is("restore")) plan.restore = word.value;
    if (is("cycles")) plan.cycles = static_cast<std::uint32_t>(number_of(word, 1, kCyclesMax));
    if (is("least")) plan.least_s = number_of(word, 0, kCampaignSecondsMax, " of seconds");
    if (is("most")) plan.most_s = number_of(word, 1, kCampaignSecondsMax, " of seconds");
    if (is("timeout")) plan.timeout_s = number_of(word, 1, kCampaignSecondsMax, " of seconds");
    if (is("moments")) plan.moments = moments_of(word);
    if (is("seed")) plan.seed = number_of(word, 0, UINT64_MAX);
    if (is("dir") || is("config")) plan.run_words.insert(plan.run_words.end(), {word.spelling, word.value});
    constexpr std::array<std::string_view, 5> kNotOfThePlan{"state", "json", "html", "unit", "end"};
    if (std::find(kNotOfThePlan.begin(), kNotOfThePlan.end(), word.name) == kNotOfThePlan.end()) {
        plan.typed.insert(plan.typed.end(), {word.spelling, word.value});
    }
}

void check_together(const PowertestArguments& arguments, const SwitchWords& typed) {
    const CampaignPlan& plan = arguments.plan;
    if (arguments.state_path.empty()) throw UsageError("powertest: --state DIR is missing: the campaign keeps its state there");
    for (const std::string_view name : {"restore", "least", "most", "moments", "timeout", "seed"}) {
        if (typed.has(name) && plan.cut.empty())
            throw UsageError(fmt::format("--{}: is for unattended cuts; give --cut COMMAND, too", name));
    }
    if (plan.least_s > plan.most_s) throw UsageError(fmt::format("--least {} is more than --most {}", plan.least_s, plan.most_s));
    const std::string_view alone = arguments.prints_unit ? "--unit" : arguments.ends_campaign ? "--end" : "";
    if (!alone.empty() && !plan.typed.empty()) {
        throw UsageError(fmt::format("{}: is for the campaign that is in the folder; give no other switches but --state", alone));
    }
    if (arguments.prints_unit && arguments.ends_campaign) throw UsageError("--unit and --end: one of them, not both");
    if (arguments.prints_unit && !(arguments.json_path + arguments.html_path).empty())
        throw UsageError("--json, --html: not with --unit, which makes no report");
}

}  // namespace

Switches powertest_switches() { return kPowertestSwitches; }

PowertestArguments parse_powertest(const std::vector<std::string>& words) {
    const auto separator = std::find(words.begin(), words.end(), "--");
    const SwitchWords typed = parse_words(kPowertestSwitches, {words.begin(), separator});
    if (!typed.operands.empty()) {
        throw UsageError(fmt::format("'{0}' is not a switch; a folder for the files is named with -dir {0}", typed.operands.front()));
    }
    PowertestArguments arguments;
    for (const SwitchWord& word : typed.switches) take_switch(arguments, word);
    CampaignPlan& plan = arguments.plan;
    if (separator != words.end()) {
        plan.run_words.insert(plan.run_words.end(), separator + 1, words.end());
        plan.typed.insert(plan.typed.end(), separator, words.end());
    }
    if (!typed.has("cycles")) plan.cycles = kCyclesDefault;
    if (!typed.has("least")) plan.least_s = typed.has("most") ? std::min(kLeastSDefault, plan.most_s) : kLeastSDefault;
    if (!typed.has("most")) plan.most_s = std::max(kMostSDefault, plan.least_s);
    if (!typed.has("moments")) plan.moments.assign(kMoments.begin(), kMoments.end());
    if (!typed.has("timeout")) plan.timeout_s = kTimeoutSDefault;
    arguments.has_seed = typed.has("seed");
    check_together(arguments, typed);
    if (!plan.typed.empty()) check_run_words(plan.run_words);
    return arguments;
}

std::vector<std::string> words_for_verify(const std::vector<std::string>& run_words) {
    const Command verify = verify_command();
    std::vector<std::string> words;
    for (const SwitchWord& word : parse_words(run_switches(), run_words).switches) {
        if (find_switch(verify.switches, word.spelling) == nullptr || word.name == "no-progress" || word.name == "status") continue;
        words.push_back(word.spelling);
        if (!find_switch(verify.switches, word.spelling)->value.empty()) words.push_back(word.value);
    }
    return words;
}

std::vector<std::string> folders_among(const std::vector<std::string>& run_words) {
    std::vector<std::string> folders;
    for (const SwitchWord& word : parse_words(run_switches(), run_words).switches) {
        if (word.name == "dir") folders.push_back(word.value);
    }
    return folders;
}

std::vector<std::string> documents_among(const std::vector<std::string>& run_words) {
    constexpr std::array<std::string_view, 6> kDocuments{"config", "ledger", "key-file", "cert", "cert-key", "ca"};
    std::vector<std::string> documents;
    for (const SwitchWord& word : parse_words(run_switches(), run_words).switches) {
        if (std::find(kDocuments.begin(), kDocuments.end(), word.name) != kDocuments.end()) documents.push_back(word.value);
    }
    return documents;
}

bool is_witness_among(const std::vector<std::string>& run_words) {
    const std::vector<SwitchWord> words = parse_words(run_switches(), run_words).switches;
    return std::any_of(words.begin(), words.end(), [](const SwitchWord& word) { return word.name == "witness"; });
}

bool are_promises_kept(const std::vector<std::string>& run_words) {
    const std::vector<SwitchWord> words = parse_words(run_switches(), run_words).switches;
    return std::any_of(words.begin(), words.end(), [](const SwitchWord& word) { return word.name == "ledger" || word.name == "witness"; });
}

}  // namespace cli
