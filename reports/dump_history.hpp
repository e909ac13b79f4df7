// Operations and re-reads of a finding as tables. Pure; lines of at most 100 columns unless a figure is extremely large.
#pragma once

#include <string>

#include "sim/finding.hpp"

namespace reports {

// The operations on the page, block or range that is wrong. Empty if nothing is known.
std::string page_history_table(const sim::Finding& finding);

// The last operations on all files. Empty if nothing is known.
std::string file_history_table(const sim::Finding& finding);

// What came back when it was read again. Empty if it was not.
std::string reread_table(const sim::Finding& finding);

}  // namespace reports
