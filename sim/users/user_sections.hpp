// The sections of users that work in the main run: one row each, from which they are started and their work is reported.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/context/run_context.hpp"
#include "ums/sched/task.hpp"

namespace sim {

struct UserSection {
    const char* name;       // as the configuration spells it
    const char* task_name;  // as messages spell it
    std::uint32_t count;    // users of this run
    ums::Task<void> (*run)(RunContext& context, std::uint64_t seed);
    const WorkCounters& work;
};

// SQLIOSim's, and those of later years that have users in this run. Refers to the context.
[[nodiscard]] std::vector<UserSection> user_sections(const RunContext& context);

// Starts all users, spread over the schedulers from `next_cpu` on. Each has choices of its own, which `seed` decides.
void start_users(RunContext& context, ums::TaskGroup& users, std::uint64_t seed, std::uint32_t& next_cpu);

}  // namespace sim
