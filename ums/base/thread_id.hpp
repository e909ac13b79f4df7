// The operating system's number of the calling thread, as in traces and debuggers.
#pragma once

#include <cstdint>

namespace ums {

[[nodiscard]] std::uint64_t this_thread_id();

}  // namespace ums
