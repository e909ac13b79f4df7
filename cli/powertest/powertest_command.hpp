// `ioproof powertest`: a campaign of power cuts.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command powertest_command();

}  // namespace cli
