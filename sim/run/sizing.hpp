// What the zeros in the options mean on this machine. Pure.
#pragma once

#include <cstdint>

#include "sim/options.hpp"
#include "ums/base/machine.hpp"

namespace sim {

// Logical CPUs (schedulers) of the run: CPUCount, or as many as the process may use; at most kCpusMax.
std::uint32_t cpu_count_for(const Options& options, const ums::Machine& machine);

// The pool when MaxMemoryMB is 0 and the data files are large: half of what is available. 0 = not known.
std::uint64_t default_pool_mb(const ums::Machine& machine);

// The buffer pool of the run: MaxMemoryMB or the default; never above the machine's memory, never above what the data files hold at
// their largest, never below kBufferPoolMbMin.
std::uint64_t pool_mb_for(const Options& options, const ums::Machine& machine);

}  // namespace sim
