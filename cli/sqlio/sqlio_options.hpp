// SQLIO's options for people: --help, -?, the manual, and the table of docs/sqlio.md name the same.
#pragma once

#include <string_view>

namespace cli {

// Lines "SPELLING\tmeaning".
extern const std::string_view kSqlioOptions;

}  // namespace cli
