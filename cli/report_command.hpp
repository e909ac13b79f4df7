// `ioproof report` and `ioproof compare`: what was written by runs, shown again.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command report_command();
Command compare_command();

}  // namespace cli
