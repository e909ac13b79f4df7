// Whether a sanitizer watches over this program. Its own memory is more than the limits some tests set, and it ends the process when it
// gets none.
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

// How many of the `usual` runs in virtual time a test makes. They have one thread, which cannot race with itself: few where that is what
// the sanitizer looks for.
constexpr std::uint64_t virtual_runs(std::uint64_t usual) { return kIsThreadSanitized ? (usual + 9) / 10 : usual; }

}  // namespace test
