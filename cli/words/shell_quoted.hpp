// Commands that ioproof shows, to be pasted into a shell.
#pragma once

#include <string>

namespace cli {

// A word as a POSIX shell takes it: unchanged if it has only characters without a meaning there, otherwise in quotes.
std::string shell_quoted(const std::string& word);

}  // namespace cli
