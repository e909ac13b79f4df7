// What a lost write means, and what SQL Server would make of it. Pure.
#pragma once

#include <string>

#include "sim/finding.hpp"

namespace reports {

// In two or three sentences, for a finding of that kind. A finding without facts gets what is true of most.
[[nodiscard]] std::string lost_write_meaning(const sim::Finding& finding);

}  // namespace reports
