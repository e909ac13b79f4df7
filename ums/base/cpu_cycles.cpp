#include "ums/base/cpu_cycles.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include "ums/base/clock.hpp"
#endif

namespace ums {

namespace {
std::uint64_t counter() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return RealClock().now_ns();
#endif
}
}  // namespace

void burn_cpu_cycles(std::uint64_t cycles) {
    const std::uint64_t start = counter();
    while (counter() - start < cycles) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

}  // namespace ums
