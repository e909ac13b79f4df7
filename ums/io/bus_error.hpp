// Memory that maps a file cannot always be accessed: the page may be unreadable, or lie beyond the end of a file that was truncated
// meanwhile. Linux then sends SIGBUS to the thread that accessed it.
#pragma once

#include <cstddef>

namespace ums {

// Installs the handler that touch() needs; a SIGBUS that touch() does not expect goes to the previous handler. Any thread, any number of
// times.
void expect_bus_errors();

// Calls `action(argument)`, which touches [data, data + size_bytes). False if that raised SIGBUS: the action was abandoned there, so it
// must own nothing. expect_bus_errors() must have been called.
[[nodiscard]] bool touch(const std::byte* data, std::size_t size_bytes, void (*action)(void* argument), void* argument);

template <typename Action>
[[nodiscard]] bool touch(const std::byte* data, std::size_t size_bytes, Action action) {
    return touch(
        data, size_bytes, [](void* argument) { (*static_cast<Action*>(argument))(); }, &action);
}

}  // namespace ums
