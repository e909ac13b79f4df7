// What the files left by a power cut prove about the damage by the rules of docs/durability.md, in the eyes of an observer that knows every
// acknowledged write. Verifications are judged by it, so it shares no code with sim/verify. Pure.
#pragma once

#include <algorithm>
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
    released,           // in a part of a file that has been cut off, or in a region of which a write had failed
    before_checkpoint,  // log that recovery no longer needs
    not_logged,         // in a replica, a file of tempdb or a backup, whose changes are not logged
};

inline constexpr std::size_t kMissReasonCount = 8;

[[nodiscard]] std::string_view name_of(MissReason reason);

// A rule of docs/durability.md that the files break.
enum class CrashRule : std::uint8_t {
    log_row,      // acknowledged blocks of the log that recovery needs are gone
    log_kept,     // acknowledged blocks before those, which no checkpoint had freed, are gone
    file_there,   // a file is gone
    file_signed,  // a log file does not begin as the run made it
    file_size,    // a file is shorter than it was
    page_least,   // a page is older than it was
    page_in_log,  // a page is ahead of the log
};

// One place at which a rule is broken, and what a verification must find there.
struct CrashProof {
    CrashRule rule{};
    std::string path;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::string text;
    bool is_by_ledger = false;
    bool is_torn = false;     // the page holds sectors of several writes
    bool is_by_sums = false;  // only the sums of its region show it
    // The region of pages whose sums a checkpoint records.
    std::uint64_t region_begin_bytes = 0;
    std::uint64_t region_end_bytes = 0;
    std::uint64_t sequence = 0;    // log_row, log_kept: of the block
    bool is_found_by_any = false;  // ... and a finding about another block will do
    // page_least: the page had this version at least, and had been acknowledged up to that one.
    std::uint32_t least_version = 0;
    std::uint32_t newest_version = 0;
    bool is_excused = false;  // true, but a documented rule says why a verification need not find it
};

struct CrashExplanation {
    // What the files prove.
    std::vector<CrashProof> proofs;
    std::string problem;  // what the run must not have written, whatever the device did; otherwise empty
    // How many entries of `PowerCut::lost` the files do not prove; counted only if they prove nothing at all.
    std::array<std::uint32_t, kMissReasonCount> unproven{};

    [[nodiscard]] bool is_provable() const {
        return std::any_of(proofs.begin(), proofs.end(), [](const CrashProof& proof) { return !proof.is_excused; });
    }
    // There must be damage, and it must not be provable.
    [[nodiscard]] MissReason reason() const;
};

// The evidence: the files alone, or also the ledger outside the device, if there is one.
enum class Knowledge : std::uint8_t { files, files_and_ledger };

// Call it before the verification, which consumes the files.
[[nodiscard]] CrashExplanation explain_cut(const CrashPlan& plan, const CrashState& state, Knowledge knowledge = Knowledge::files);

}  // namespace sim
