// The present time and phase, for the code that chooses faults and the code that records them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/results.hpp"
#include "ums/base/clock.hpp"

namespace sim {

struct FaultMoment {
    const ums::Clock& clock;
    std::function<Phase()> phase_source{};  // may be empty; called from the schedulers' threads

    [[nodiscard]] std::uint64_t now_ns() const { return clock.now_ns(); }
    // Nothing if nobody knows.
    [[nodiscard]] std::optional<Phase> phase() const { return phase_source ? std::optional(phase_source()) : std::nullopt; }
};

}  // namespace sim
