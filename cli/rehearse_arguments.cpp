#include "cli/rehearse_arguments.hpp"

#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "cli/switch_words.hpp"
#include "cli/usage_error.hpp"

namespace cli {
namespace {

constexpr std::uint64_t kSeedsMax = 10'000'000;
constexpr std::uint64_t kJobsMax = 1024;

constexpr std::array kRehearseSwitches{
    Switch{.name = "fault",
           .value = "CLASS[:RATE]",
           .repeatable = true,
           .help = "only this class, or several in the same run; see docs/fault_model.md. RATE: chance of\n"
                   "each page (of each request, where requests fail); without it, rate, place and time are\n"
                   "drawn from the seed. none: runs without faults.\n"
                   "Default: each class in runs of its own, and runs without faults"},
    Switch{.name = "place",
           .value = "anywhere|first|last|middle|end|sync",
           .help = "first or last page of a file, middle pages of a request, where the file grows and shrinks;\n"
                   "sync: no page, but syncs of a file fail (io_error)"},
    Switch{.name = "during", .value = "PHASE", .help = "initial_update, initial_checkpoint, main_run, final_checkpoint, final_audit"},
    Switch{.name = "seed", .value = "N", .help = "first seed (default: 1). The same seed gives the identical run"},
    Switch{.name = "seeds", .value = "K", .help = "number of seeds (default: 20; 1 if --seed is given)"},
    Switch{.name = "jobs", .value = "J", .help = "runs at a time (default: one per CPU)"},
    Switch{.name = "verbose", .help = "all messages, faults and findings of each run"},
};

void add_fault(RehearseArguments& arguments, const std::string& text) {
    if (text == "none") {
        arguments.without_faults = true;
        return;
    }
    std::string problem;
    const auto plan = sim::parse_fault_plan(text, 0, problem);
    if (!plan) throw UsageError(fmt::format("--fault: {}, none", problem));
    arguments.faults.push_back(*plan);
}

void set_value(RehearseArguments& arguments, const SwitchWord& word) {
    if (word.name == "fault") {
        add_fault(arguments, word.value);
    } else if (word.name == "seed") {
        arguments.first_seed = number_of(word, 0, std::numeric_limits<std::uint64_t>::max());
    } else if (word.name == "seeds") {
        arguments.seed_count = number_of(word, 1, kSeedsMax);
    } else if (word.name == "jobs") {
        arguments.jobs = static_cast<std::uint32_t>(number_of(word, 1, kJobsMax));
    } else if (word.name == "place") {
        arguments.place = sim::fault_place_of(word.value);
        if (!arguments.place) refuse_value(word, "anywhere, first, last, middle, end or sync");
    } else if (word.name == "during") {
        arguments.during = sim::fault_phase_of(word.value);
        if (!arguments.during) {
            refuse_value(word, "initial_update, initial_checkpoint, main_run, final_checkpoint or final_audit");
        }
    } else {
        arguments.verbose = true;
    }
}

}  // namespace

Switches rehearse_switches() { return kRehearseSwitches; }

RehearseArguments parse_rehearse(const std::vector<std::string>& words) {
    RehearseArguments arguments;
    const SwitchWords typed = parse_words(kRehearseSwitches, words);
    if (!typed.operands.empty()) {
        throw UsageError(fmt::format("'{}' is not a switch; 'ioproof rehearse --help' names them", typed.operands[0]));
    }
    for (const SwitchWord& word : typed.switches) set_value(arguments, word);
    if (arguments.without_faults && !arguments.faults.empty()) {
        throw UsageError("--fault: 'none' cannot be combined with faults");
    }
    // A seed alone is one to look at.
    if (typed.has("seed") && !typed.has("seeds")) arguments.seed_count = 1;
    return arguments;
}

}  // namespace cli
