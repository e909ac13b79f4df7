// Memory behind which a file stands cannot always be touched: the page may be unreadable, or beyond the end of a file that was cut short
// meanwhile. Linux then sends SIGBUS to the thread that touched it.
#pragma once

#include <cstddef>

namespace ums {

// From the first call on, SIGBUS that touch() does not expect goes to whoever handled it before. Any thread, any number of times.
void expect_bus_errors();

// Calls `action(argument)`, which touches [data, data + size_bytes). False if that raised SIGBUS: the action ended where it was, so it must
// own nothing. expect_bus_errors() was called.
[[nodiscard]] bool touch(const std::byte* data, std::size_t size_bytes, void (*action)(void* argument), void* argument);

template <typename Action>
[[nodiscard]] bool touch(const std::byte* data, std::size_t size_bytes, Action action) {
    return touch(
        data, size_bytes, [](void* argument) { (*static_cast<Action*>(argument))(); }, &action);
}

}  // namespace ums
