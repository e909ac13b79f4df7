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

// What a pool may take of the memory: a control group kills who uses more than it has, so the rest of the program has its room. 0 = not
// known.
std::uint64_t pool_mb_max(const ums::Machine& machine);

// What the run's book of pages takes for the data files at their first size: 16 bytes a page that is there.
std::uint64_t ledger_mb(const Options& options);

// What backups take beside the pool: their buffers, and for differential ones 8 bytes for each page that the data files can have.
std::uint64_t backup_mb(const Options& options);

// The buffer pool of the run: MaxMemoryMB or the default; never above what is left of pool_mb_max() beside the ledger and backups, never
// above what the data files hold at their largest, never below kBufferPoolMbMin.
std::uint64_t pool_mb_for(const Options& options, const ums::Machine& machine);

}  // namespace sim
