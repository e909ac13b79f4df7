// The brief check that a run makes before it begins; `ioproof preflight` itself is in commands.hpp.
#pragma once

#include <vector>

#include "sim/options.hpp"
#include "sim/preflight_line.hpp"
#include "ums/base/clock.hpp"

namespace cli {

// Of the folders of a run's files, each once; block devices are skipped. A folder that cannot be examined gives no lines: the run itself
// will say what is wrong with it.
[[nodiscard]] std::vector<sim::PreflightLine> preflight_of_run(const sim::Options& options, const ums::Clock& clock);

}  // namespace cli
