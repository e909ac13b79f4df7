// Examines folders before a run: facts, and what they mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/preflight/gather_facts.hpp"
#include "sim/preflight_line.hpp"
#include "ums/base/clock.hpp"

namespace sim {

// What the folders will hold. tempdb may be where nothing is durable.
enum class PreflightUse : std::uint8_t { database, tempdb };

// See gather_preflight_facts for what it does there, how long it takes and what it throws.
[[nodiscard]] std::vector<PreflightLine> preflight(const std::vector<std::string>& folders, PreflightEffort effort, const ums::Clock& clock,
                                                   PreflightUse use = PreflightUse::database);

}  // namespace sim
