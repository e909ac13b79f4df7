// Whether a sanitizer is built into this program. It needs more memory than some tests allow, and ends the process if it cannot get any.
#pragma once

#include <cstdint>

namespace test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kIsThreadSanitized = true;
#else
inline constexpr bool kIsThreadSanitized = false;
#endif

// How many of the `usual` random runs or documents a test tries. The other builds try all of them; a sanitizer, which makes each take ten
// times as long, looks for errors of the program, which show in fewer. They have one thread and cannot race, so a tenth is enough if it
// looks for races.
constexpr std::uint64_t fewer_if_sanitized(std::uint64_t usual) {
    const std::uint64_t part = kIsThreadSanitized ? 10 : kIsSanitized ? 3 : 1;
    return (usual + part - 1) / part;
}

}  // namespace test
