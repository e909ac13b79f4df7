// The command lines of `ioproof report` and `ioproof compare`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/switches.hpp"

namespace cli {

struct ReportArguments {
    std::vector<std::string> files;  // one for a report, two to compare
    std::string html_path;           // empty: as text, on the terminal
};

// `words` follow the verb. Throws UsageError.
ReportArguments parse_report(const std::string& verb, std::size_t file_count, const std::vector<std::string>& words);

// Of both.
std::span<const Switch> report_switches();
std::string report_help_text();
std::string compare_help_text();

}  // namespace cli
