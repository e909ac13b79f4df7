// A rehearsal of files that are handed from host to host, in virtual time on one simulated volume. One owner works on them and is cut off;
// the next one verifies what was promised, continues, and may be cut off, too. Then something goes wrong that only several hosts can see,
// and the last owner must find and name it. For half of the owners the witness, which keeps what they were promised, cannot be reached
// meanwhile. A pure function of its arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/group/group_fact.hpp"
#include "sim/rehearsal/host_loss.hpp"
#include "sim/rehearsal/hosts_report.hpp"

namespace sim {

enum class HandOverFault : std::uint8_t {
    honest,       // nothing goes wrong
    lost_write,   // a write that was promised to an owner is missing for the next one
    torn_write,   // only part of such a write is there
    stale_cache,  // the new owner's cache answers its first reads with an older image
    late_write,   // an older image lands on a newer one while the new owner works
    zombie,       // a write of an old owner lands, with a change made after the files had been taken from it
};

inline constexpr std::uint32_t kHandOverFaultCount = 6;

[[nodiscard]] std::string_view name_of(HandOverFault fault);
[[nodiscard]] std::optional<HandOverFault> hand_over_fault_of(std::string_view name);
// The fact that a finding must name; nothing if there must be no finding.
[[nodiscard]] std::optional<GroupFactKind> expected_fact(HandOverFault fault);

// `loss`: none, or one of the witness; if empty, the seed decides. Throws std::bad_alloc if memory runs out. Any thread.
[[nodiscard]] HostsReport rehearse_hand_over(std::uint64_t seed, HandOverFault fault, std::optional<HostLoss> loss = std::nullopt);

}  // namespace sim
