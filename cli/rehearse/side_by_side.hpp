// Does many equal parts of a work on parallel threads.
#pragma once

#include <cstdint>
#include <functional>

namespace cli {

// Calls `one` with 0 ... count - 1, `jobs` at a time (0: one per CPU), in any order. If a call throws, begins no more of them, and throws
// the first exception when all have ended. `one` must be safe to call from several threads.
void do_side_by_side(std::uint32_t jobs, std::uint64_t count, const std::function<void(std::uint64_t index)>& one);

}  // namespace cli
