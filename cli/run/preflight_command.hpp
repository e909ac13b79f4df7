// The brief check that a run makes before it begins; commands.hpp declares `ioproof preflight` itself.
#pragma once

#include <vector>

#include "sim/options.hpp"
#include "sim/preflight_line.hpp"
#include "ums/base/clock.hpp"

namespace cli {

// Checks the folders of a run's files, each once; skips block devices. A folder that cannot be examined yields no lines: the run itself
// will report what is wrong with it.
[[nodiscard]] std::vector<sim::PreflightLine> preflight_of_run(const sim::Options& options, const ums::Clock& clock);

}  // namespace cli
