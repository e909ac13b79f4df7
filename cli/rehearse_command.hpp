// `ioproof rehearse`: many rehearsals side by side, and what they show.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command rehearse_command();

}  // namespace cli
