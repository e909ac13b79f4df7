// The entire program except for main(): command line in, exit code out.
#pragma once

#include <string>
#include <vector>

namespace cli {

// `command_line[0]` is the name by which the program was called. Prints to standard output and error; never throws.
int run_program(const std::vector<std::string>& command_line);

}  // namespace cli
