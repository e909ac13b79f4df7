// `ioproof witness`: keeps, for runs on other machines, what their storage has acknowledged.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command witness_command();

}  // namespace cli
