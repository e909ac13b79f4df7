// The engine of a FaultInjector: passes requests to the engine of the storage below, and alters what comes back.
#pragma once

#include <memory>

#include "sim/rehearsal/fault_injector.hpp"
#include "ums/io/io_engine.hpp"

namespace sim {

[[nodiscard]] std::unique_ptr<ums::IoEngine> make_injecting_engine(FaultInjector& injector, std::unique_ptr<ums::IoEngine> inner);

}  // namespace sim
