// UMS_ASSERT: a broken invariant of our own. Always on, even in release builds: a tool that people trust with databases stops rather than
// continue in a state it does not understand. Never use it for bytes that came from a disk or for user input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace ums {

[[noreturn]] inline void assertion_failed(const char* expression, const char* file, int line) {
    std::fprintf(stderr, "ioproof: internal error: assertion '%s' failed at %s:%d. Please report this.\n", expression, file, line);
    std::abort();
}

}  // namespace ums

#define UMS_ASSERT(expression)                                        \
    do {                                                              \
        if (!(expression)) [[unlikely]] {                             \
            ::ums::assertion_failed(#expression, __FILE__, __LINE__); \
        }                                                             \
    } while (false)
