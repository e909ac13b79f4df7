// The entire program except for its entry: command line in, exit code out.
#pragma once

#include <string>
#include <vector>

namespace cli {

// `command_line[0]` is the name that it was called by. Prints to standard output and error; never throws.
int run_program(const std::vector<std::string>& command_line);

}  // namespace cli
