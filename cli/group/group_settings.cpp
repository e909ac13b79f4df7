#include "cli/group/group_settings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

constexpr std::array kGroupSwitches{
    Switch{.name = "group",
           .value = "NAME",
           .help = "this run is one of several, on other hosts or other volumes, which find each other at the\n"
                   "witness by this name (docs/hosts.md). Nothing is started on other machines"},
    Switch{.name = "plan",
           .value = "PLAN",
           .help = "side-by-side (default): each has its own files, and they work at the same time;\n"
                   "hand-over: one set of files on shared storage, whose owner changes;\n"
                   "readers: rank 0 works on one set of files, the others read it meanwhile"},
    Switch{.name = "rank",
           .value = "R",
           .help = "the number of this run in the group, from 0 (default: JOB_COMPLETION_INDEX, SLURM_PROCID,\n"
                   "OMPI_COMM_WORLD_RANK or PMI_RANK, whichever is set)"},
    Switch{.name = "of",
           .value = "N",
           .help = "how many runs the group has (default, unless --rank is given: SLURM_NTASKS,\n"
                   "OMPI_COMM_WORLD_SIZE or PMI_SIZE)"},
    Switch{.name = "turns",
           .value = "N",
           .help = "hand-over: how many turns there are in all; turn T belongs to rank (T - 1) mod N (default: N\nof --of)"},
    Switch{.name = "change",
           .value = "LIST",
           .help = "hand-over: how each turn ends, as a comma-separated list that repeats: in-order (default);\n"
                   "kill: the owner kills itself (kill -9); loss: you take the host away; fence: the owner\n"
                   "freezes, then wakes up and writes when the files are another host's"},
    Switch{.name = "lease", .value = "SECONDS", .help = "how long a run may be silent before it counts as lost (default: 10)"},
    Switch{.name = "wait-for-ranks", .value = "SECONDS", .help = "how long the others wait for a run that does not come (default: 300)"},
    Switch{.name = "bursts",
           .value = "HOW",
           .help = "side-by-side: load comes in bursts, on all hosts at the same time (aligned) or on one after\n"
                   "the other (staggered) (default: no bursts)"},
    Switch{.name = "burst-seconds", .value = "S", .help = "length of one burst with the pause after it, half each (default: 10)"},
    Switch{.name = "coherence",
           .value = "HOW",
           .help = "readers: what a read must see. strict (default): what had been promised before it began;\n"
                   "close-to-open, as in NFS: before the file was opened, and each pass reopens it"},
};

struct EngineVariables {
    const char* rank;
    const char* size;  // null: the engine does not provide it
};

constexpr std::array<EngineVariables, 4> kEngines{{{"JOB_COMPLETION_INDEX", nullptr},
                                                   {"SLURM_PROCID", "SLURM_NTASKS"},
                                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                   {"PMI_RANK", "PMI_SIZE"}}};

constexpr std::array<std::string_view, 4> kChanges{"in-order", "kill", "loss", "fence"};

std::uint64_t number_within(const std::string& name, const std::string& text, std::uint64_t minimum, std::uint64_t maximum) {
    const auto value = ums::whole_number<std::uint64_t>(text);
    if (!value || *value < minimum || *value > maximum) {
        throw UsageError(fmt::format("{}: '{}' is not allowed; allowed is a whole number from {} to {}", name, text, minimum, maximum));
    }
    return *value;
}

std::uint64_t number_or(const char* name, const std::string& text, std::uint64_t otherwise, std::uint64_t minimum, std::uint64_t maximum) {
    return text.empty() ? otherwise : number_within(name, text, minimum, maximum);
}

void find_rank(const GroupWords& words, Environment environment, GroupSettings& settings) {
    std::string rank = words.rank;
    std::string of = words.of;
    settings.rank_from = "--rank";
    std::string of_from = "--of";
    for (const EngineVariables& engine : kEngines) {
        const char* const value = environment(engine.rank);
        if (value == nullptr || !rank.empty()) continue;
        rank = value;
        settings.rank_from = engine.rank;
        const char* const size = engine.size == nullptr ? nullptr : environment(engine.size);
        if (of.empty() && size != nullptr) {
            of = size;
            of_from = engine.size;
        }
    }
    if (rank.empty()) {
        throw UsageError("--group: which rank is this? Give --rank R --of N, or start it with a launcher that says so (docs/hosts.md)");
    }
    if (of.empty()) throw UsageError(fmt::format("--group: {} does not say how many there are; give --of N", settings.rank_from));
    settings.terms.of = static_cast<std::uint32_t>(number_within(of_from, of, 1, kGroupRanksMax));
    settings.rank = static_cast<std::uint32_t>(number_within(settings.rank_from, rank, 0, settings.terms.of - 1));
}

std::vector<std::string> changes_of(const std::string& list) {
    std::vector<std::string> changes;
    std::string_view rest = list;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        changes.emplace_back(rest.substr(0, comma));
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
        if (std::find(kChanges.begin(), kChanges.end(), changes.back()) == kChanges.end()) {
            throw UsageError(fmt::format("--change: '{}' is not allowed; allowed are in-order, kill, loss and fence", changes.back()));
        }
    }
    if (changes.size() > kGroupFilesMax)
        throw UsageError(fmt::format("--change: at most {} are allowed; they are repeated", kGroupFilesMax));
    return changes;
}

void refuse_for_plan(const std::string& plan, std::string_view name, const std::string& value) {
    if (!value.empty()) throw UsageError(fmt::format("--{} is not for --plan {}", name, plan));
}

}  // namespace

Switches group_switches() { return kGroupSwitches; }

bool GroupWords::are_given() const {
    return !name.empty() || !plan.empty() || !rank.empty() || !of.empty() || !turns.empty() || !change.empty() || !lease.empty() ||
           !wait.empty() || !bursts.empty() || !burst_seconds.empty() || !coherence.empty();
}

void set_group_value(GroupWords& words, const SwitchWord& word) {
    if (word.name == "group") {
        if (!is_group_name(word.value))
            refuse_value(word, "a name of 1 to 64 letters, digits, '.', '_' and '-', which does not begin with '.'");
        words.name = word.value;
    }
    if (word.name == "plan") {
        const bool is_plan = word.value == "side-by-side" || word.value == "hand-over" || word.value == "readers";
        if (!is_plan) refuse_value(word, "side-by-side, hand-over or readers");
        words.plan = word.value;
    }
    if (word.name == "bursts") {
        if (word.value != "aligned" && word.value != "staggered") refuse_value(word, "aligned or staggered");
        words.bursts = word.value;
    }
    if (word.name == "coherence") {
        if (word.value != "strict" && word.value != "close-to-open") refuse_value(word, "strict or close-to-open");
        words.coherence = word.value;
    }
    if (word.name == "rank") words.rank = word.value;
    if (word.name == "of") words.of = word.value;
    if (word.name == "turns") words.turns = word.value;
    if (word.name == "change") words.change = word.value;
    if (word.name == "lease") words.lease = word.value;
    if (word.name == "wait-for-ranks") words.wait = word.value;
    if (word.name == "burst-seconds") words.burst_seconds = word.value;
}

GroupSettings group_settings(const GroupWords& words, Environment environment) {
    GroupSettings settings;
    if (!words.are_given()) return settings;
    if (words.name.empty()) throw UsageError("--plan, --rank, --of and the like are for a run with --group NAME");
    settings.name = words.name;
    settings.terms.plan = words.plan.empty() ? "side-by-side" : words.plan;
    find_rank(words, environment, settings);
    settings.terms.lease_ms = number_or("--lease", words.lease, 10, 1, 86'400) * 1000;
    settings.terms.wait_ms = number_or("--wait-for-ranks", words.wait, 300, 1, 864'000) * 1000;
    if (!settings.is_readers()) refuse_for_plan(settings.terms.plan, "coherence", words.coherence);
    if (settings.is_hand_over() || settings.is_readers()) {
        refuse_for_plan(settings.terms.plan, "bursts", words.bursts);
        refuse_for_plan(settings.terms.plan, "burst-seconds", words.burst_seconds);
    }
    if (settings.is_hand_over()) {
        settings.terms.turns = static_cast<std::uint32_t>(number_or("--turns", words.turns, settings.terms.of, 1, kGroupTurnsMax));
        settings.terms.changes = changes_of(words.change);
        return settings;
    }
    refuse_for_plan(settings.terms.plan, "turns", words.turns);
    refuse_for_plan(settings.terms.plan, "change", words.change);
    if (settings.is_readers()) {
        if (settings.terms.of < 2) throw UsageError("--plan readers: one owner and at least one reader are needed: --of 2 or more");
        settings.terms.coherence = words.coherence.empty() ? "strict" : words.coherence;
        return settings;
    }
    settings.terms.bursts = words.bursts;
    if (words.bursts.empty()) refuse_for_plan("side-by-side without --bursts", "burst-seconds", words.burst_seconds);
    settings.terms.burst_s = number_or("--burst-seconds", words.burst_seconds, 10, 2, 3600);
    return settings;
}

}  // namespace cli
