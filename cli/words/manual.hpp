// The manual page ioproof(1) and the shell completions, made from the table of commands. Pure. The build runs the program itself to
// generate them.
#pragma once

#include <string>
#include <string_view>

namespace cli {

[[nodiscard]] std::string program_manual();

// `shell`: "bash", "zsh" or "fish". Throws UsageError for others.
[[nodiscard]] std::string completion_script(std::string_view shell);

// What `ioproof --generate WHAT` prints: "ioproof.1", "ioproof.conf.5", "bash", "zsh", "fish". Throws UsageError for others.
[[nodiscard]] std::string generated_text(std::string_view what);

}  // namespace cli
