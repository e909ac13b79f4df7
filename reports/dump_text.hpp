// Everything that is known about a finding, for the engineers of the storage's vendor: the verdict in words first, then the evidence. Pure
// but for the local time zone. Plain text of at most 100 columns.
#pragma once

#include <string>
#include <string_view>

#include "sim/finding.hpp"

namespace reports {

// `version`: of the program.
std::string dump_text(const sim::Finding& finding, std::string_view version);

}  // namespace reports
