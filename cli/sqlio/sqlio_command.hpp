// `ioproof sqlio`, also called as `sqlio`.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command sqlio_command();

}  // namespace cli
