// What the files of a power cut prove of the damage by the rules of docs/durability.md, according to an observer that knows everything that
// was acknowledged. Verifications are judged by it, so it shares nothing with sim/verify. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/rehearsal/crash_rehearsal.hpp"

namespace sim {

// Why the files do not prove a loss. If several losses have several reasons, the first of these is that of the cut.
enum class MissReason : std::uint8_t {
    unexplained,        // no rule covers it: a fault of the rules, or of this explanation
    no_signature,       // no file begins as the run made it, so nobody can say to which run the rest belongs
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
    // What the files prove, a sentence for each rule that is broken; the pages of a rule make one.
    std::vector<std::string> proofs;
    // How many of `PowerCut::lost` the files do not prove; counted only if they prove nothing at all.
    std::array<std::uint32_t, kMissReasonCount> unproven{};

    [[nodiscard]] bool is_provable() const { return !proofs.empty(); }
    // There is damage, and it is not provable.
    [[nodiscard]] MissReason reason() const;
};

// What is used as evidence: the files alone, or also the ledger outside of the device, if there is one.
enum class Knowledge : std::uint8_t { files, files_and_ledger };

// Before the verification, which takes the files.
[[nodiscard]] CrashExplanation explain_cut(const CrashPlan& plan, const CrashState& state, Knowledge knowledge = Knowledge::files);

}  // namespace sim
