// `ioproof config show` and `ioproof config explain`: what a run would use, and what it means.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command config_show_command();
Command config_explain_command();

}  // namespace cli
