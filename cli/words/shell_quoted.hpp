// Commands that ioproof shows, to be pasted into a shell.
#pragma once

#include <string>

namespace cli {

// A word as a POSIX shell takes it: unchanged if it has only characters without a meaning there, otherwise in quotes. If it has characters
// that the console shows by their numbers (line feeds, escape sequences), so does the result, as $'a\nb' (POSIX 2024; bash, ksh, zsh).
std::string shell_quoted(const std::string& word);

}  // namespace cli
