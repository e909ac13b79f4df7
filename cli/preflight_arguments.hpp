// The command line of `ioproof preflight`.
#pragma once

#include <string>
#include <vector>

#include "cli/switches.hpp"

namespace cli {

struct PreflightArguments {
    std::vector<std::string> folders;
    std::vector<std::string> tempdb_folders;
    std::string json_path;  // empty = no JSON; "-" = on the standard output, instead of the text
};

// `words`: what follows "preflight". Throws UsageError with what is wrong and what is allowed.
PreflightArguments parse_preflight(const std::vector<std::string>& words);

Switches preflight_switches();

}  // namespace cli
