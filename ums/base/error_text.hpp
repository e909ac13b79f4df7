// What errors of the system say to people.
#pragma once

#include <string>
#include <system_error>

namespace ums {

// A user's or a project's share of the file system is used up. The standard library has no name for it.
[[nodiscard]] std::error_code quota_exceeded();

// The system's words, and which limit was reached where it is one of this process.
[[nodiscard]] std::string error_text(const std::error_code& error);
// The same for an exception: what it is about, followed by what the error says.
[[nodiscard]] std::string error_text(const std::system_error& failure);

}  // namespace ums
