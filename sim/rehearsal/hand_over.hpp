// A rehearsal of files that are handed from host to host: one owner works on them and is cut off, the next one verifies what was promised,
// continues, and is cut off in its turn, all in virtual time on one simulated volume. Then something goes wrong that only several hosts can
// see, and the last owner must find it and name it. A pure function of seed and fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/group/group_fact.hpp"

namespace sim {

enum class HandOverFault : std::uint8_t {
    honest,       // nothing goes wrong
    lost_write,   // a write that had been promised to an owner is missing for the next one
    torn_write,   // only a part of such a write is there
    stale_cache,  // the new owner's cache answers its first reads with an older image
    late_write,   // an older image lands, over a newer one, while the new owner works
    zombie,       // an old owner's write of a change lands that it made after the files had been taken from it
};

inline constexpr std::uint32_t kHandOverFaultCount = 6;

[[nodiscard]] std::string_view name_of(HandOverFault fault);
[[nodiscard]] std::optional<HandOverFault> hand_over_fault_of(std::string_view name);
// The name that a finding must have; nothing if there must be none.
[[nodiscard]] std::optional<GroupFactKind> expected_fact(HandOverFault fault);

struct HandOverTally {
    std::uint64_t hand_overs = 0;
    std::uint64_t injected = 0;
    std::uint64_t given = 0;         // of them, those that the new owner read; not those that it overwrote first
    std::uint64_t found = 0;         // of these
    std::uint64_t named_right = 0;   // of those
    std::uint64_t false_alarms = 0;  // findings that no fault explains, or a second one for the same, or a run that did not end properly

    void add(const HandOverTally& other);
    [[nodiscard]] bool is_good() const { return found == given && named_right == found && false_alarms == 0; }
};

struct HandOverReport {
    HandOverTally tally;
    std::string text;     // what was done, and what was found
    std::string problem;  // missed, named wrongly, or blamed wrongly; otherwise empty
};

// Throws std::bad_alloc if memory runs out. Any thread.
[[nodiscard]] HandOverReport rehearse_hand_over(std::uint64_t seed, HandOverFault fault);

}  // namespace sim
