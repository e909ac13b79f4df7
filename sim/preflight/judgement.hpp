// What the facts about a folder mean for SQL Server. Pure: one table of checks, each with its source.
#pragma once

#include <vector>

#include "sim/preflight/preflight_facts.hpp"
#include "sim/preflight_line.hpp"

namespace sim {

// In the table's order, at least one line. Checks that have no facts (no block device) add no line.
[[nodiscard]] std::vector<PreflightLine> evaluate_preflight(const PreflightFacts& facts);

}  // namespace sim
