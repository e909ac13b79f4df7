#include "cli/rehearse/rehearse_arguments.hpp"

#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/words/switch_words.hpp"
#include "sim/finding.hpp"

namespace cli {
namespace {

constexpr std::uint64_t kSeedsMax = 10'000'000;
constexpr std::uint64_t kJobsMax = 1024;

constexpr std::uint64_t kCutsMax = 100;
constexpr std::string_view kHonest = "honest";
constexpr std::string_view kInTurn = "in_turn";
constexpr std::string_view kEach = "each";

constexpr std::array kRehearseSwitches{
    Switch{.name = "fault",
           .value = "CLASS[:RATE]",
           .repeatable = true,
           .help = "only this class, or several in the same run; see docs/fault_model.md. RATE: chance of\n"
                   "each page (of each request, where requests fail); without it, rate, place and time are\n"
                   "drawn from the seed. none: runs without faults.\n"
                   "Default: each class in runs of its own, and runs without faults"},
    Switch{.name = "place",
           .value = "anywhere|first|last|middle|end|sync|chain|log_backup",
           .help = "where faults hit. first, last: that page of a file; middle: pages in the middle of a request;\n"
                   "end: where the file grows and shrinks; sync: syncs of a file fail (io_error); chain: the chain\n"
                   "of backups (log_gap, log_block_damaged, log_stale_block); log_backup: blocks of the log when a\n"
                   "backup reads them (the same classes)"},
    Switch{.name = "during",
           .value = "PHASE",
           .help = "inject faults only in this phase: initial_update, initial_checkpoint, main_run, backup,\n"
                   "final_checkpoint or final_audit"},
    Switch{.name = "seed", .value = "N", .help = "first seed (default: 1). The same seed gives the identical run"},
    Switch{.name = "seeds", .value = "K", .help = "number of seeds (default: 20; 1 if --seed is given)"},
    Switch{.name = "jobs", .value = "J", .help = "runs at a time (default: one per CPU)"},
    Switch{.name = "crash",
           .help = "power cuts instead of faults: a device with a cache that forgets, honest or lying about what is\n"
                   "durable; what each cut leaves is verified; see docs/rehearsal.md"},
    Switch{.name = "lie",
           .value = "honest|flush_ignored|fua_ignored|one_file_ignored|overtaking|rolled_back|write_hole|in_turn",
           .repeatable = true,
           .help = "with --crash: only this device. in_turn: each seed has one of them\n"
                   "Default: each in runs of its own"},
    Switch{.name = "cuts", .value = "N", .help = "with --crash: power cuts of each run (1 to 100, default: 4)"},
    Switch{.name = "hosts",
           .help = "several hosts instead of faults: owners that hand files over, each cut off and followed by the\n"
                   "next one; see docs/rehearsal.md"},
    Switch{.name = "hand-over",
           .value = "honest|lost_write|torn_write|stale_cache|late_write|zombie|in_turn",
           .repeatable = true,
           .help = "with --hosts: only this goes wrong. in_turn: with each seed one of them\n"
                   "Default: each in runs of its own"},
    Switch{.name = "readers",
           .value = "FAULT",
           .repeatable = true,
           .help = "with --hosts: instead of hand-overs, readers of files that one host writes, and only this goes\n"
                   "wrong: honest (nothing), stale_read, stale_cache, lost_write, damaged_page, misdirected_write,\n"
                   "misdirected_read, old_size; each: each in runs of its own; in_turn: with each seed one of them"},
    Switch{.name = "coherence",
           .value = "strict|close-to-open",
           .help = "with --readers: what the volume promises its readers (docs/hosts.md). Default: the seed decides"},
    Switch{.name = "loss",
           .value = "none|owner_killed|owner_frozen|witness_away|witness_lost",
           .help = "with --hosts: which host is lost meanwhile. With --readers also owner_killed and owner_frozen\n"
                   "(for a while); witness_away (for a while), witness_lost (for good). Default: by the seed, none\n"
                   "for half of them"},
    Switch{.name = "verbose", .help = "all messages, faults and findings of each run; with --crash: each cut; with --hosts: each fault"},
};

void add_fault(RehearseArguments& arguments, const std::string& text) {
    if (text == "none") {
        arguments.without_faults = true;
        return;
    }
    const std::string name = text.substr(0, text.find(':'));
    if (name == "none") throw UsageError(fmt::format("--fault: '{}' is not allowed; allowed is none without a rate", text));
    std::string problem;
    const auto plan = sim::parse_fault_plan(text, 0, problem);
    if (!plan) throw UsageError(fmt::format("--fault: {}{}", problem, sim::finding_kind_of(name) ? "" : ", none"));
    arguments.faults.push_back(*plan);
}

void add_device(RehearseArguments& arguments, const SwitchWord& word) {
    const std::optional<ums::PowerLie> lie = ums::power_lie_of(word.value);
    if (word.value == kInTurn) {
        arguments.devices_in_turn = true;
    } else if (lie || word.value == kHonest) {
        arguments.devices.push_back({lie});
    } else {
        refuse_value(word, "honest, flush_ignored, fua_ignored, one_file_ignored, overtaking, rolled_back, write_hole or in_turn");
    }
}

void add_hand_over(RehearseArguments& arguments, const SwitchWord& word) {
    const std::optional<sim::HandOverFault> fault = sim::hand_over_fault_of(word.value);
    if (word.value == kInTurn) {
        arguments.hand_over_in_turn = true;
    } else if (fault) {
        arguments.hand_over_faults.push_back(*fault);
    } else {
        refuse_value(word, "honest, lost_write, torn_write, stale_cache, late_write, zombie or in_turn");
    }
}

void add_all_reader_faults(RehearseArguments& arguments) {
    for (std::uint32_t i = 0; i < sim::kReaderFaultCount; ++i) arguments.reader_faults.push_back(static_cast<sim::ReaderFault>(i));
}

void add_readers(RehearseArguments& arguments, const SwitchWord& word) {
    const std::optional<sim::ReaderFault> fault = sim::reader_fault_of(word.value);
    arguments.readers = true;
    if (word.value == kInTurn) {
        arguments.readers_in_turn = true;
    } else if (word.value == kEach) {
        add_all_reader_faults(arguments);
    } else if (fault) {
        arguments.reader_faults.push_back(*fault);
    } else {
        refuse_value(word,
                     "honest, stale_read, stale_cache, lost_write, damaged_page, misdirected_write, misdirected_read, old_size, each or "
                     "in_turn");
    }
}

void set_coherence(RehearseArguments& arguments, const SwitchWord& word) {
    for (const auto coherence : {sim::RunGroup::Coherence::strict, sim::RunGroup::Coherence::close_to_open}) {
        if (word.value == name_of(coherence)) arguments.coherence = coherence;
    }
    if (!arguments.coherence) refuse_value(word, "strict or close-to-open");
}

void set_loss(RehearseArguments& arguments, const SwitchWord& word) {
    arguments.loss = sim::host_loss_of(word.value);
    if (!arguments.loss) refuse_value(word, "none, owner_killed, owner_frozen, witness_away or witness_lost");
}

void check_loss(const RehearseArguments& arguments) {
    if (!arguments.loss) return;
    if (!arguments.hosts) throw UsageError("--loss is for --hosts");
    if (is_of_owner(*arguments.loss) && !arguments.readers) {
        throw UsageError(
            fmt::format("--loss {} is for --readers: owners that hand files over are cut off anyway", name_of(*arguments.loss)));
    }
}

void check_readers(const SwitchWords& typed, RehearseArguments& arguments) {
    if (!arguments.hosts && arguments.readers) throw UsageError("--readers is for --hosts");
    if (!arguments.readers && arguments.coherence) throw UsageError("--coherence is for --readers");
    if (arguments.readers && typed.has("hand-over")) throw UsageError("--hand-over and --readers are two rehearsals: name one");
    if (arguments.reader_faults.empty()) add_all_reader_faults(arguments);
}

void check_hosts(const SwitchWords& typed, RehearseArguments& arguments) {
    if (arguments.hosts && arguments.crash) throw UsageError("--hosts and --crash are two rehearsals: name one");
    for (const std::string_view name : {"fault", "place", "during", "lie", "cuts"}) {
        if (arguments.hosts && typed.has(name)) throw UsageError(fmt::format("--{} is not for --hosts", name));
    }
    if (!arguments.hosts && typed.has("hand-over")) throw UsageError("--hand-over is for --hosts");
    if (!arguments.hand_over_faults.empty()) return;
    for (std::uint32_t i = 0; i < sim::kHandOverFaultCount; ++i) {
        arguments.hand_over_faults.push_back(static_cast<sim::HandOverFault>(i));
    }
}

// Refuses switches for faults together with power cuts, and the reverse, so that no switch is silently ignored.
void check_together(const SwitchWords& typed, RehearseArguments& arguments) {
    for (const std::string_view name : {"fault", "place", "during"}) {
        if (arguments.crash && typed.has(name)) throw UsageError(fmt::format("--{} is about faults, --crash about power cuts", name));
    }
    for (const std::string_view name : {"lie", "cuts"}) {
        if (!arguments.crash && typed.has(name)) throw UsageError(fmt::format("--{} is for --crash", name));
    }
    if (!arguments.devices.empty()) return;
    arguments.devices.push_back({});
    for (std::uint32_t i = 0; i < ums::kPowerLieCount; ++i) arguments.devices.push_back({static_cast<ums::PowerLie>(i)});
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
        if (!arguments.place) refuse_value(word, "anywhere, first, last, middle, end, sync, chain or log_backup");
    } else if (word.name == "during") {
        arguments.during = sim::fault_phase_of(word.value);
        if (!arguments.during) {
            refuse_value(word, "initial_update, initial_checkpoint, main_run, backup, final_checkpoint or final_audit");
        }
    } else if (word.name == "crash") {
        arguments.crash = true;
    } else if (word.name == "hosts") {
        arguments.hosts = true;
    } else if (word.name == "hand-over") {
        add_hand_over(arguments, word);
    } else if (word.name == "readers") {
        add_readers(arguments, word);
    } else if (word.name == "coherence") {
        set_coherence(arguments, word);
    } else if (word.name == "loss") {
        set_loss(arguments, word);
    } else if (word.name == "lie") {
        add_device(arguments, word);
    } else if (word.name == "cuts") {
        arguments.cuts = static_cast<std::uint32_t>(number_of(word, 1, kCutsMax));
    } else {
        arguments.verbose = true;
    }
}

}  // namespace

std::string_view name_of(const CrashDevice& device) { return device.lie ? ums::name_of(*device.lie) : kHonest; }

std::string_view name_of(sim::RunGroup::Coherence coherence) {
    return coherence == sim::RunGroup::Coherence::strict ? "strict" : "close-to-open";
}

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
    check_hosts(typed, arguments);
    check_readers(typed, arguments);
    check_loss(arguments);
    check_together(typed, arguments);
    // A seed without a count is to be examined by itself.
    if (typed.has("seed") && !typed.has("seeds")) arguments.seed_count = 1;
    constexpr std::uint64_t kSeedMax = std::numeric_limits<std::uint64_t>::max();
    if (arguments.seed_count - 1 > kSeedMax - arguments.first_seed) {
        throw UsageError(fmt::format("--seeds: {} are too many from --seed {} on; the last seed is {}", arguments.seed_count,
                                     arguments.first_seed, kSeedMax));
    }
    return arguments;
}

}  // namespace cli
