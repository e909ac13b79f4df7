// A lock for sections of a few dozen instructions. It is never held across I/O, a suspension, or an allocation whose page faults may take
// long. A waiting thread yields the CPU after a while, because there may be more logical CPUs than real ones.
#pragma once

#include <atomic>

namespace ums {

class Spinlock {
public:
    void lock() {
        while (locked_.exchange(true, std::memory_order_acquire)) wait_until_free();
    }

    bool try_lock() { return !locked_.exchange(true, std::memory_order_acquire); }

    void unlock() { locked_.store(false, std::memory_order_release); }

private:
    void wait_until_free();

    std::atomic<bool> locked_{false};
};

}  // namespace ums
