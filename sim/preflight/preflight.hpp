// Examines folders before a run: facts, and what they mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/preflight_line.hpp"
#include "ums/base/clock.hpp"

namespace sim {

enum class PreflightEffort : std::uint8_t {
    quick,     // a quarter of a second for each folder: before a run; does not write on FUSE
    thorough,  // a few seconds for each folder
};

// What the folders will hold. tempdb may be where nothing is durable.
enum class PreflightUse : std::uint8_t { database, tempdb };

// Examines the folders, their file systems and devices, and writes a temporary file without a name to each. Throws EnvironmentError, with
// one message for a person, if one is missing, not a folder, read-only or full. Blocks for as long as the storage takes.
[[nodiscard]] std::vector<PreflightLine> preflight(const std::vector<std::string>& folders, PreflightEffort effort, const ums::Clock& clock,
                                                   PreflightUse use = PreflightUse::database);

}  // namespace sim
