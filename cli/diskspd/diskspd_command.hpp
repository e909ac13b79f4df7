// `ioproof diskspd`, also called as `diskspd`.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command diskspd_command();

}  // namespace cli
