// System errors as text for people.
#pragma once

#include <string>
#include <system_error>

namespace ums {

// A user's or a project's share of the file system is used up. The standard library has no name for it.
[[nodiscard]] std::error_code quota_exceeded();

// The system's message and, if a limit of this process was reached, which one.
[[nodiscard]] std::string error_text(const std::error_code& error);
// The same for an exception: its context, followed by the text of its error.
[[nodiscard]] std::string error_text(const std::system_error& failure);

}  // namespace ums
