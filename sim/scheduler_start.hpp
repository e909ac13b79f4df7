// Makes the schedulers of a run or a measurement.
#pragma once

#include <memory>
#include <system_error>

#include "sim/errors.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

// Throws EnvironmentError, with the system's reason, if the engine that is asked for is not available.
[[nodiscard]] inline std::unique_ptr<ums::SchedulerGroup> make_schedulers(const ums::SchedulerGroupOptions& options, ums::Storage& storage,
                                                                          const ums::Clock& clock) {
    try {
        return std::make_unique<ums::SchedulerGroup>(options, storage, clock);
    } catch (const std::system_error& error) {
        throw EnvironmentError(error.what());
    }
}

}  // namespace sim
