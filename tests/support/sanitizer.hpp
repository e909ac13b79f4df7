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

// How many of the `usual` runs in virtual time a test makes. They have one thread and cannot race, so a few are enough if the sanitizer
// looks for races.
constexpr std::uint64_t virtual_runs(std::uint64_t usual) { return kIsThreadSanitized ? (usual + 9) / 10 : usual; }

}  // namespace test
