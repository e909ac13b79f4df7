// `ioproof report` and `ioproof compare`: what runs have written, shown again.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command report_command();
Command compare_command();

}  // namespace cli
