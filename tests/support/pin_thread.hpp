// Binds the calling thread to the `index`-th CPU that it may use, wrapping around. Otherwise, on a busy machine, two threads that should
// race for a moment would often share one CPU and never race.
#pragma once

#include <pthread.h>
#include <sched.h>

namespace ums::testing {

inline void pin_this_thread(int index) {
    // Read once, by the first caller, because threads started by a pinned one inherit its pinning.
    static const cpu_set_t allowed = [] {
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof set, &set);
        return set;
    }();
    if (CPU_COUNT(&allowed) < 2) return;
    int remaining = index % CPU_COUNT(&allowed);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &allowed) || remaining-- > 0) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::pthread_setaffinity_np(::pthread_self(), sizeof one, &one);
}

}  // namespace ums::testing
