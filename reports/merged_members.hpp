// Which members of a group have a results file, which have not, and what that means. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/merged_results.hpp"

namespace reports {

// What a results file says about its place in a group; nothing if it belonged to none.
struct MergedMember {
    std::string group;
    std::string plan;
    std::string host;
    std::string witness;
    std::uint32_t rank = 0;
    std::uint32_t of = 0;
    std::uint32_t turn = 0;  // hand-over; 0: there are no turns
    std::uint32_t turns = 0;
    std::optional<std::int64_t> clock_offset_us;  // the witness's clock minus the host's; nothing if it was never measured
    std::uint64_t clock_error_us = 0;
    std::optional<std::uint32_t> previous_rank;  // hand-over: who had the turn before, and how it ended
    std::string previous_ended_by;
};

// Throws ResultsDocumentError if the object is not what it should be.
[[nodiscard]] std::optional<MergedMember> member_of(const NamedResults& file);

struct MergedGaps {
    std::vector<std::uint32_t> ranks;  // that did not come back
    std::vector<std::uint32_t> turns;  // of which nothing is known
    std::uint32_t of = 0;
    std::uint32_t turn_count = 0;
};

// `members`: all of one group. A turn that ended as planned, without an owner that could have written a file, is described by the next one.
[[nodiscard]] MergedGaps gaps_of(const std::vector<MergedMember>& members);

}  // namespace reports
