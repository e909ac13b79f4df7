// The command line of `ioproof run`. Parsing touches no file and prints nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/group/group_settings.hpp"
#include "cli/link/witness_address.hpp"
#include "cli/status/status_address.hpp"
#include "cli/words/switch_words.hpp"
#include "cli/words/switches.hpp"
#include "reports/thresholds.hpp"
#include "sim/options.hpp"
#include "sim/rehearsal/fault_plan.hpp"

namespace cli {

// The switches of `run`; empty means: not given.
struct RunArguments {
    sim::Job job = sim::Job::run;
    std::string config_path;
    std::string profile;
    std::string save_path;
    std::string log_path;
    std::string findings_path;
    std::string json_path;
    std::string html_path;
    std::string moments_path;               // a pipe that receives the moments for a power cut
    std::string ledger_path;                // where acknowledged writes are recorded, outside of the storage
    std::optional<WitnessAddress> witness;  // or the machine that records them
    TlsKeys witness_keys;                   // the keys for the connection to it
    GroupWords group;                       // the group that this run belongs to
    std::vector<std::string> directories;
    std::optional<std::uint64_t> duration_s;
    std::optional<std::uint64_t> size_mb;
    std::optional<std::uint64_t> seed;
    sim::EngineChoice engine = sim::EngineChoice::automatic;
    std::vector<sim::FaultPlan> injections;  // rehearsal on real files: faults injected on purpose
    std::vector<reports::Threshold> limits;  // beyond them, the run fails
    std::optional<StatusAddress> status;
    bool ephemeral = false;
    bool overwrite_foreign_files = false;
    bool no_progress = false;
    bool quiet = false;
};

// `words`: what follows "run". Throws UsageError.
RunArguments parse_run(const std::vector<std::string>& words);

Switches run_switches();

// Applies a switch of that table. Throws UsageError if its value is not allowed.
void set_run_value(RunArguments& run, const SwitchWord& word);
// Throws UsageError if the switches for ledger and witness contradict each other.
void check_keepers(const RunArguments& run);

// The command that repeats a run's choices, with `seed` filled in, quoted for a shell.
std::string repeat_command(const std::vector<std::string>& command_line, std::uint64_t seed);

}  // namespace cli
