// Which members of a group have a results file, which do not, and what that means. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/merged_results.hpp"
#include "sim/group/group_result.hpp"

namespace reports {

// The place in a group that a results file states; nothing if the run was in no group.
struct MergedMember {
    std::string group;
    std::string plan;
    std::string host;
    std::string witness;
    std::uint32_t rank = 0;
    std::uint32_t of = 0;
    std::uint32_t turn = 0;  // hand-over; 0: no turns
    std::uint32_t turns = 0;
    std::optional<std::int64_t> clock_offset_us;  // the witness's clock minus the host's; nothing if it was never measured
    std::uint64_t clock_error_us = 0;
    std::optional<std::uint32_t> previous_rank;  // hand-over: the owner of the turn before, and how that turn ended
    std::string previous_ended_by;
    std::vector<sim::LostTurnResult> planned_losses;  // of the turns before
};

// Throws ResultsDocumentError if the object is invalid.
[[nodiscard]] std::optional<MergedMember> member_of(const NamedResults& file);

struct MergedGaps {
    std::vector<std::uint32_t> ranks;  // without a result; in a hand-over, those that have turns, but no result of any
    std::vector<std::uint32_t> turns;  // about which nothing is known
    std::uint32_t of = 0;
    std::uint32_t turn_count = 0;
};

// `members`: all of one group. A turn that ended as planned, leaving no owner to write a file, is described by the next one that left one.
[[nodiscard]] MergedGaps gaps_of(const std::vector<MergedMember>& members);

}  // namespace reports
