#include "ums/base/process_usage.hpp"

#include <sys/resource.h>

namespace ums {

namespace {
std::uint64_t to_us(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}
}  // namespace

ProcessUsage process_usage() {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return {};
    return {to_us(usage.ru_utime), to_us(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace ums
