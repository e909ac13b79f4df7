// The users of the main run, like those of SQLIOSim. Each is a task that works until RunState says that users must stop. `seed` decides all
// its choices.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/context/run_context.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// OLTP: short transactions on a chain of pages of a region; most pages are updated, each with a log record; the commit waits for the log.
ums::Task<void> run_random_user(RunContext& context, std::uint64_t seed);

// DBCC: reads the files from a random place on, step by step, and verifies every page.
ums::Task<void> run_audit_user(RunContext& context, std::uint64_t seed);

// DBCC CHECKDB as a whole: takes a snapshot of a file that has a replica, reads all of it, releases it, and continues with the next file.
ums::Task<void> run_snapshot_check(RunContext& context);

// Scans: reads ranges into the pool with scatter reads.
ums::Task<void> run_read_ahead_user(RunContext& context, std::uint64_t seed);

// SELECT INTO, BULK INSERT: overwrites entire ranges and writes them immediately.
ums::Task<void> run_bulk_update_user(RunContext& context, std::uint64_t seed);

// Scans and loads of columnstore indexes: segments of 1 to 8 MB.
ums::Task<void> run_columnstore_user(RunContext& context, std::uint64_t seed);

// Sorts that spill to tempdb: extents of its files are allocated, written, read back and freed.
ums::Task<void> run_tempdb_user(RunContext& context, std::uint64_t seed);

// Row versions in separate pages, which age out and are reused.
ums::Task<void> run_version_store_user(RunContext& context, std::uint64_t seed);

// Now and then shrinks files that allow it, and lets them grow again.
ums::Task<void> run_shrink_user(RunContext& context, std::uint64_t seed);

// The sections of users that work in the main run: one row each, from which they are started and their work is reported.
struct UserSection {
    const char* name;       // as the configuration spells it
    const char* task_name;  // as messages spell it
    std::uint32_t count;    // users of this run
    ums::Task<void> (*run)(RunContext& context, std::uint64_t seed);
    const WorkCounters& work;
};

// SQLIOSim's sections, and the later ones that have users in this run. Refers to the context.
[[nodiscard]] std::vector<UserSection> user_sections(const RunContext& context);

// Starts all users, distributed over the schedulers from `next_cpu` on. Each makes its own choices, which `seed` decides.
void start_users(RunContext& context, ums::TaskGroup& users, std::uint64_t seed, std::uint32_t& next_cpu);

}  // namespace sim
