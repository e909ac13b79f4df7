#include "ums/base/os_thread.hpp"

#include <pthread.h>
#include <sched.h>

namespace ums {

void name_this_thread(const std::string& name) {
    constexpr std::size_t kNameLengthMax = 15;  // a longer name is refused, not cut
    pthread_setname_np(pthread_self(), name.substr(0, kNameLengthMax).c_str());
}

void bind_this_thread(std::uint64_t mask) {
    if (mask == 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned cpu = 0; cpu < 64; ++cpu) {
        if ((mask >> cpu & 1) != 0) CPU_SET(cpu, &set);
    }
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace ums
