// System calls that a signal may interrupt before they have done anything.
#pragma once

#include <cerrno>

namespace ums {

// Repeats `call()` while a signal interrupts it; returns the last result.
template <typename Call>
auto uninterrupted(Call&& call) {
    for (;;) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

}  // namespace ums
