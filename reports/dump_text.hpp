// Everything that is known about a finding, for the engineers of the storage's vendor: the verdict in words first, then the evidence. Pure
// but for the local time zone. Plain text of at most 100 columns.
#pragma once

#include <string>
#include <string_view>

#include "sim/finding.hpp"

namespace reports {

// `version`: of the program.
std::string dump_text(const sim::Finding& finding, std::string_view version);

// The operations on the page, block or range that is wrong. Empty if nothing is known.
std::string page_history_table(const sim::Finding& finding);

// The last operations on all files. Empty if nothing is known.
std::string file_history_table(const sim::Finding& finding);

// What came back when it was read again. Empty if it was not.
std::string reread_table(const sim::Finding& finding);

}  // namespace reports
