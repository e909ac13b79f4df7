// What the files left by a power cut prove about the damage by the rules of docs/durability.md, in the eyes of an observer that knows every
// acknowledged write. Verifications are judged by it, so it shares no code with sim/verify. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/rehearsal/crash_rehearsal.hpp"

namespace sim {

// Why the files do not prove a loss. If a cut's losses have different reasons, the first in this order applies to the cut.
enum class MissReason : std::uint8_t {
    unexplained,        // no rule covers it: a defect in the rules, or in this explanation
    no_signature,       // no file begins as the run made it, so nothing tells to which run the rest belongs
    nothing_logged,     // no log block is left, and no page refers to one
    end_of_log,         // after the last block that is left
    since_checkpoint,   // page writes since the last complete checkpoint began
    released,           // in a part of a file that has been cut off
    before_checkpoint,  // log that recovery no longer needs
    not_logged,         // in a replica, a file of tempdb or a backup, whose changes are not logged
};

inline constexpr std::size_t kMissReasonCount = 8;

[[nodiscard]] std::string_view name_of(MissReason reason);

struct CrashExplanation {
    // What the files prove: one sentence for each broken rule. All pages that break the same rule share one.
    std::vector<std::string> proofs;
    // How many entries of `PowerCut::lost` the files do not prove; counted only if they prove nothing at all.
    std::array<std::uint32_t, kMissReasonCount> unproven{};

    [[nodiscard]] bool is_provable() const { return !proofs.empty(); }
    // There must be damage, and it must not be provable.
    [[nodiscard]] MissReason reason() const;
};

// The evidence: the files alone, or also the ledger outside the device, if there is one.
enum class Knowledge : std::uint8_t { files, files_and_ledger };

// Call it before the verification, which consumes the files.
[[nodiscard]] CrashExplanation explain_cut(const CrashPlan& plan, const CrashState& state, Knowledge knowledge = Knowledge::files);

}  // namespace sim
