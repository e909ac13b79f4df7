// A zero in the options lets the machine decide: how many schedulers, how large a pool. Pure.
#pragma once

#include <cstdint>

#include "sim/options.hpp"
#include "ums/base/machine.hpp"

namespace sim {

// Logical CPUs (schedulers) of the run: CPUCount, or as many as the process may use; at most kCpusMax.
std::uint32_t cpu_count_for(const Options& options, const ums::Machine& machine);

// The pool when MaxMemoryMB is 0 and the data files are large: half of what is available. 0: unknown.
std::uint64_t default_pool_mb(const ums::Machine& machine);

// How much memory a pool may take: a control group kills a process that uses more than its limit, so the rest of the program keeps its
// share. 0: unknown.
std::uint64_t pool_mb_max(const ums::Machine& machine);

// What the ledger takes for the data files at their initial size: 16 bytes for each page. Sparse files, replicas among them, are not
// counted: they take memory only for pages that are written, which are few in a file that is mostly holes.
std::uint64_t ledger_mb(const Options& options);

// What backups take in addition to the pool: their buffers, the ledgers of full backups, differential backups and restored files, each as
// large as that of the data files, and for differential ones 8 bytes for each page that the data files can have.
std::uint64_t backup_mb(const Options& options);

// The buffer pool of the run: MaxMemoryMB or the default; never above what ledger and backups leave of pool_mb_max(), never above what the
// data files hold at their largest, never below kBufferPoolMbMin.
std::uint64_t pool_mb_for(const Options& options, const ums::Machine& machine);

}  // namespace sim
