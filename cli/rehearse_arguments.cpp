#include "cli/rehearse_arguments.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "cli/help_text.hpp"
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
           .value = "anywhere|first|last|middle|end",
           .help = "first or last page of a file, middle pages of a request, or where the file grows and shrinks"},
    Switch{.name = "during", .value = "PHASE", .help = "initial_update, initial_checkpoint, main_run, final_checkpoint, final_audit"},
    Switch{.name = "seed", .value = "N", .help = "first seed (default: 1). The same seed gives the identical run"},
    Switch{.name = "seeds", .value = "K", .help = "so many seeds (default: 20; 1 if --seed is given)"},
    Switch{.name = "jobs", .value = "J", .help = "runs at a time (default: one for each CPU)"},
    Switch{.name = "verbose", .help = "all messages, faults and findings of each run"},
};

std::uint64_t number(std::string_view name, std::string_view text, std::uint64_t minimum, std::uint64_t maximum) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= minimum && value <= maximum) return value;
    throw UsageError(fmt::format("{}: '{}' is not allowed; allowed is a whole number from {} to {}", name, text, minimum, maximum));
}

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

void set_value(RehearseArguments& arguments, std::string_view name, const std::string& value) {
    constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
    if (name == "--fault") {
        add_fault(arguments, value);
    } else if (name == "--seed") {
        arguments.first_seed = number(name, value, 0, kAny);
    } else if (name == "--seeds") {
        arguments.seed_count = number(name, value, 1, kSeedsMax);
    } else if (name == "--jobs") {
        arguments.jobs = static_cast<std::uint32_t>(number(name, value, 1, kJobsMax));
    } else if (name == "--place") {
        arguments.place = sim::fault_place_of(value);
        if (!arguments.place)
            throw UsageError(fmt::format("--place: '{}' is not allowed; allowed are anywhere, first, last, middle, end", value));
    } else if (name == "--during") {
        arguments.during = sim::fault_phase_of(value);
        if (!arguments.during) {
            throw UsageError(
                fmt::format("--during: '{}' is not allowed; allowed are initial_update, initial_checkpoint, main_run, "
                            "final_checkpoint, final_audit",
                            value));
        }
    } else {
        std::string allowed;
        for (const Switch& entry : kRehearseSwitches) allowed += fmt::format("{}--{}", allowed.empty() ? "" : ", ", entry.name);
        throw UsageError(fmt::format("unknown switch '{}'; allowed are {}", name, allowed));
    }
}

}  // namespace

std::span<const Switch> rehearse_switches() { return kRehearseSwitches; }

RehearseArguments parse_rehearse(const std::vector<std::string>& words) {
    RehearseArguments arguments;
    bool has_seed = false;
    bool has_count = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--verbose") {
            arguments.verbose = true;
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        if (name.size() < 3 || !name.starts_with("--")) {
            throw UsageError(fmt::format("'{}' is not a switch; 'ioproof rehearse --help' names them", word));
        }
        if (equals == std::string::npos && i + 1 == words.size()) throw UsageError(fmt::format("{}: a value is missing", name));
        set_value(arguments, name, equals == std::string::npos ? words[++i] : word.substr(equals + 1));
        has_seed |= name == "--seed";
        has_count |= name == "--seeds";
    }
    if (arguments.without_faults && !arguments.faults.empty()) throw UsageError("--fault: none cannot be had together with faults");
    // A seed alone is one to look at.
    if (has_seed && !has_count) arguments.seed_count = 1;
    return arguments;
}

std::string rehearse_help_text() {
    return fmt::format(
        "Usage: ioproof rehearse [SWITCHES]\n"
        "\n"
        "Proves that the alarm works: whole runs on a simulated disk in virtual time that goes wrong on\n"
        "purpose, and a comparison of what was injected with what was found. Writes no file.\n"
        "\n{}\n"
        "Exit codes: 0 if every fault that was given to the program was found and named rightly and\n"
        "nothing else was reported; 1 if not; 2 wrong usage.\n",
        switch_table(rehearse_switches()));
}

}  // namespace cli
