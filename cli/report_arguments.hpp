// The command lines of `ioproof report` and `ioproof compare`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/switches.hpp"

namespace cli {

struct ReportArguments {
    std::vector<std::string> files;  // one for a report, two to compare
    std::string html_path;           // empty: as text, on the terminal
};

// `words`: what stands behind the command. Throws UsageError.
ReportArguments parse_report(std::size_t file_count, const std::vector<std::string>& words);

// Of both.
Switches report_switches();

}  // namespace cli
