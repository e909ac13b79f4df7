// What goes wrong between owners that hand files over: with which pages, and how the last owner must name it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/finding.hpp"
#include "sim/group/group_explanation.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/rehearsal/hand_over.hpp"
#include "sim/rehearsal/host_loss.hpp"
#include "sim/rehearsal/host_view.hpp"
#include "sim/rehearsal/owner_writes.hpp"
#include "ums/base/prng.hpp"

namespace sim {

// An owner that was cut off: what it wrote before and, because nobody told it, what it wrote afterwards.
struct PastOwner {
    std::shared_ptr<OwnerWrites> writes;
    std::uint64_t cut_moment = 0;
    KnownOwner owned;
    HostLoss loss{};  // of the witness, during its ownership
};

// What goes wrong with one page.
struct HandedFault {
    std::uint32_t file_id = 0;
    HandOverFault fault{};
    KnownOwner made_by;  // the change in its image
    HostView::Trouble trouble;
};

// Up to three pages with the fault; fewer, or none, if the owners have not written enough. `start`: what they leave to the last owner.
[[nodiscard]] std::vector<HandedFault> draw_hand_over_faults(HandOverFault fault, const std::vector<PastOwner>& owners,
                                                             const CrashStart& start, ums::Prng& prng);

// The volume holds the wrong image before the last owner begins; otherwise HostView shows it, or lets it land.
[[nodiscard]] bool stands_there_from_the_start(HandOverFault fault);

// Whether a finding about the page of the fault has the fact among hosts, the class and the owner that the evidence allows. `last`: the
// owner before the one that reports it.
[[nodiscard]] bool is_hand_over_named_right(const HandedFault& handed, const Finding& finding, const KnownOwner& last);

}  // namespace sim
