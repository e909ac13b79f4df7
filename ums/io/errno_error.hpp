// The one place where errno becomes an error code. What that says to people: ums/base/error_text.hpp.
#pragma once

#include <cerrno>
#include <system_error>

#include "ums/base/error_text.hpp"

namespace ums {

// For the number of an errno value, as system calls and io_uring give it. Compares with std::errc.
[[nodiscard]] inline std::error_code errno_error(int number) { return {number, std::system_category()}; }

// For the calling thread's errno.
[[nodiscard]] inline std::error_code last_errno_error() { return errno_error(errno); }

// Calls `call()` again until it is not interrupted by a signal; gives its last result.
template <typename Call>
auto uninterrupted(Call&& call) {
    for (;;) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

}  // namespace ums
