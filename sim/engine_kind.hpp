// Converts the engine that the options choose into the one that a storage is asked for.
#pragma once

#include "sim/options.hpp"
#include "ums/base/assert.hpp"
#include "ums/io/storage.hpp"

namespace sim {

[[nodiscard]] inline ums::EngineKind engine_kind(EngineChoice choice) {
    switch (choice) {
        case EngineChoice::automatic: return ums::EngineKind::automatic;
        case EngineChoice::uring: return ums::EngineKind::uring;
        case EngineChoice::threads: return ums::EngineKind::threads;
    }
    UMS_ASSERT(false && "unknown engine");
}

}  // namespace sim
