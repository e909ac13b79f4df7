// The group of a run, from its switches and from whatever started it.
#pragma once

#include <cstdint>
#include <string>

#include "cli/group/group_message.hpp"
#include "cli/words/switch_words.hpp"
#include "cli/words/switches.hpp"

namespace cli {

struct GroupSettings {
    std::string name;  // empty: the run is alone
    GroupTerms terms{};
    std::uint32_t rank = 0;
    std::string rank_from{};  // "--rank", "SLURM_PROCID"

    [[nodiscard]] bool is_hand_over() const { return terms.plan == "hand-over"; }
    [[nodiscard]] bool is_readers() const { return terms.plan == "readers"; }
    // False: it owns files.
    [[nodiscard]] bool only_reads() const { return is_readers() && rank != 0; }
};

// The values as typed; empty if not given.
struct GroupWords {
    std::string name;
    std::string plan;
    std::string rank;
    std::string of;
    std::string turns;
    std::string change;
    std::string lease;
    std::string wait;
    std::string bursts;
    std::string burst_seconds;
    std::string coherence;

    [[nodiscard]] bool are_given() const;
};

[[nodiscard]] Switches group_switches();
// Takes the switch if it is one of them. Throws UsageError.
void set_group_value(GroupWords& words, const SwitchWord& word);

// The value of an environment variable, or null.
using Environment = const char* (*)(const char* name);
// Rank and size come from the switches, otherwise from Kubernetes, Slurm, OpenMPI or PMI. Throws UsageError.
[[nodiscard]] GroupSettings group_settings(const GroupWords& words, Environment environment);

}  // namespace cli
