// Finds out what SQL Server will meet in a folder.
#pragma once

#include <cstdint>
#include <string>

#include "sim/preflight/preflight_facts.hpp"
#include "ums/base/clock.hpp"

namespace sim {

enum class PreflightEffort : std::uint8_t {
    quick,     // a quarter of a second for each folder: before a run; without writing on FUSE
    thorough,  // some seconds for each folder
};

// Examines the folder, its file system and devices, and writes a temporary file there that has no name. Throws EnvironmentError, with one
// message for a person, if the folder is missing, not a folder, read-only or full. Blocks for as long as the storage takes.
[[nodiscard]] PreflightFacts gather_preflight_facts(const std::string& folder, PreflightEffort effort, const ums::Clock& clock);

}  // namespace sim
