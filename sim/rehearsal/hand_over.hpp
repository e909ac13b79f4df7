// A rehearsal of files that are handed from host to host: one owner works on them and is cut off, the next one verifies what was promised,
// continues, and is cut off in its turn, all in virtual time on one simulated volume. Then something goes wrong that only several hosts can
// see, and the last owner must find it and name it. In half of the series the witness, which keeps what the owners are promised, is away
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

// `loss`: of the witness, or nobody's; without it the seed decides. Throws std::bad_alloc if memory runs out. Any thread.
[[nodiscard]] HostsReport rehearse_hand_over(std::uint64_t seed, HandOverFault fault, std::optional<HostLoss> loss = std::nullopt);

}  // namespace sim
