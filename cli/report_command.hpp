// `ioproof report` and `ioproof compare`: what was written by runs, shown again.
#pragma once

#include "cli/console.hpp"
#include "cli/report_arguments.hpp"

namespace cli {

// Both throw reports::ResultsDocumentError for what is not a results file, sim::EnvironmentError for what cannot be read or written, and
// sim::RefusedError for a page that would replace something else.
void report_command(const ReportArguments& arguments, Console& console);
void compare_command(const ReportArguments& arguments, Console& console);

}  // namespace cli
