// Sorts the pages of a checkpoint, which may be millions, without keeping other tasks from the CPU meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "ums/sched/task.hpp"

namespace sim {

// Ascending. Yields: a million keys take a tenth of a second. Needs as much memory again until it returns. Nobody else may use `keys`
// meanwhile.
ums::Task<void> sort_keys(std::vector<std::uint64_t>& keys);

}  // namespace sim
