// How many more files the process may open, so that a run can be refused before it touches anything.
#pragma once

#include <cstdint>
#include <string>

namespace ums {

// Raises the limit to what the administrator allows: processes start with a lower one only for the sake of programs that use select().
void raise_open_files_limit();

// True if this many more can be open at the same time: finds out by opening and closing them. Any thread; meanwhile other threads may be
// refused a file.
[[nodiscard]] bool can_open_files(std::uint32_t count);

// The message if they cannot.
[[nodiscard]] std::string too_few_files_text(std::uint32_t count);

}  // namespace ums
