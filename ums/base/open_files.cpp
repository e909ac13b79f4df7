#include "ums/base/open_files.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include <fmt/format.h>

namespace ums {

void raise_open_files_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

bool can_open_files(std::uint32_t count) {
    std::vector<int> opened;
    opened.reserve(count);
    while (opened.size() < count) {
        const int descriptor = opened.empty() ? ::eventfd(0, EFD_CLOEXEC) : ::fcntl(opened.front(), F_DUPFD_CLOEXEC, 0);
        if (descriptor < 0) break;
        opened.push_back(descriptor);
    }
    for (const int descriptor : opened) ::close(descriptor);
    return opened.size() == count;
}

std::string too_few_files_text(std::uint32_t count) {
    return fmt::format("the limit of open files (ulimit -n) is too low: {} more must be opened than are open now", count);
}

}  // namespace ums
