// The switches of `ioproof rehearse`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/words/switches.hpp"
#include "sim/group/run_group.hpp"
#include "sim/rehearsal/fault_plan.hpp"
#include "sim/rehearsal/hand_over.hpp"
#include "sim/rehearsal/host_loss.hpp"
#include "sim/rehearsal/reader_fault.hpp"
#include "ums/io/power_lies.hpp"

namespace cli {

// The device of a rehearsal with --crash: one that keeps its promises, or one that tells a lie.
struct CrashDevice {
    std::optional<ums::PowerLie> lie;  // none: honest
};

[[nodiscard]] std::string_view name_of(const CrashDevice& device);

struct RehearseArguments {
    // The faults of each run, together. A plan without a rate (0) is replaced by plans drawn from the seed. Empty: each class in a run of
    // its own, and one run without faults.
    std::vector<sim::FaultPlan> faults;
    bool without_faults = false;  // --fault none
    std::optional<sim::FaultPlace> place;
    std::optional<sim::Phase> during;
    std::uint64_t first_seed = 1;
    std::uint64_t seed_count = 20;
    std::uint32_t jobs = 0;  // 0 = as many as there are CPUs
    bool verbose = false;

    // --crash: power cuts instead of faults.
    bool crash = false;
    std::vector<CrashDevice> devices;  // each seed with each of them
    bool devices_in_turn = false;      // each seed with one of them
    std::uint32_t cuts = 4;            // per run

    // --hosts: owners that hand their files over.
    bool hosts = false;
    std::vector<sim::HandOverFault> hand_over_faults;  // each seed with each of them
    bool hand_over_in_turn = false;                    // each seed with one of them

    // --hosts --readers: readers of files that another host writes.
    bool readers = false;
    std::vector<sim::ReaderFault> reader_faults;          // each seed with each of them
    bool readers_in_turn = false;                         // each seed with one of them
    std::optional<sim::RunGroup::Coherence> coherence{};  // of the volume; nothing: the seed decides

    std::optional<sim::HostLoss> loss{};  // --hosts: the host that is lost meanwhile; nothing: the seed decides
};

// "strict", "close-to-open".
[[nodiscard]] std::string_view name_of(sim::RunGroup::Coherence coherence);

// `words`: what follows the command. Throws UsageError.
[[nodiscard]] RehearseArguments parse_rehearse(const std::vector<std::string>& words);
[[nodiscard]] Switches rehearse_switches();

}  // namespace cli
