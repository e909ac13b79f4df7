#include "ums/base/thread_id.hpp"

#include <unistd.h>

namespace ums {

std::uint64_t this_thread_id() {
    thread_local const auto id = static_cast<std::uint64_t>(gettid());
    return id;
}

}  // namespace ums
