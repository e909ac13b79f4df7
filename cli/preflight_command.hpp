// `ioproof preflight`: what SQL Server will meet in some folders. Also the brief check that a run makes before it begins.
#pragma once

#include <vector>

#include "cli/command.hpp"
#include "sim/options.hpp"
#include "sim/preflight_line.hpp"
#include "ums/base/clock.hpp"

namespace cli {

Command preflight_command();

// Of the folders of a run's files, each once; block devices are skipped. A folder that cannot be examined gives no lines: the run itself
// will say what is wrong with it.
[[nodiscard]] std::vector<sim::PreflightLine> preflight_of_run(const sim::Options& options, const ums::Clock& clock);

}  // namespace cli
