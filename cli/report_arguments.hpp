// The command lines of `ioproof report` and `ioproof compare`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/switches.hpp"

namespace cli {

struct ReportArguments {
    std::vector<std::string> files;  // one for a report, or those of several hosts; two to compare
    std::string html_path;           // empty: none
    std::string json_path;           // likewise; of several hosts, or of a comparison
};

// Each takes some megabytes of memory.
inline constexpr std::size_t kReportFilesMax = 4096;

// `words`: what follows the command. Throw UsageError.
ReportArguments parse_report(const std::vector<std::string>& words);
ReportArguments parse_comparison(const std::vector<std::string>& words);

Switches report_switches();
Switches comparison_switches();

}  // namespace cli
