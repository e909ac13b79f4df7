// Writes a text to an open file to its end.
#pragma once

#include <string_view>
#include <system_error>

namespace reports {

// In one system call where the system takes it so. After an error a part of it may be there.
std::error_code write_whole(int descriptor, std::string_view bytes);

}  // namespace reports
