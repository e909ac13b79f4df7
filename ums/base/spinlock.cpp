#include "ums/base/spinlock.hpp"

#include <thread>

namespace ums {

void Spinlock::wait_until_free() {
    constexpr int kSpinsBeforeYield = 100;
    int spins = 0;
    while (locked_.load(std::memory_order_relaxed)) {
        if (++spins < kSpinsBeforeYield) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        } else {
            std::this_thread::yield();
        }
    }
}

}  // namespace ums
