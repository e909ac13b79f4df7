// How many files the process may have open.
#pragma once

#include <cstdint>
#include <string>

namespace ums {

// Up to what the administrator allows: the lower limit that processes begin with is there for programs that use select().
void raise_open_files_limit();

// True if this many more can be open at the same time: opens them to find out, and closes them. Any thread; meanwhile other threads may be
// refused a file.
[[nodiscard]] bool can_open_files(std::uint32_t count);

// The message if not.
[[nodiscard]] std::string too_few_files_text(std::uint32_t count);

}  // namespace ums
