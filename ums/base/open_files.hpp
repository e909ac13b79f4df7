// How many files the process may have open.
#pragma once

#include <cstdint>
#include <string>

namespace ums {

// Up to what the administrator allows: the lower limit that processes begin with is there for programs that use select().
void raise_open_files_limit();

// True if so many more can be open at a time: they are opened to see, and closed. Any thread; others may be refused a file meanwhile.
[[nodiscard]] bool can_open_files(std::uint32_t count);

// What to say if not.
[[nodiscard]] std::string too_few_files_text(std::uint32_t count);

}  // namespace ums
