// What the scheduler's and the engines' threads tell the operating system about themselves. Both calls concern the calling thread and
// never fail: a name that is refused or a CPU that a container does not allow is no reason to stop a run.
#pragma once

#include <cstdint>
#include <string>

namespace ums {

// What debuggers, top and perf show. Linux keeps the first 15 characters.
void name_this_thread(const std::string& name);

// Lets the thread run on the CPUs in `mask` only, one bit each, CPU 0 lowest; 0 = leaves it where it is.
void bind_this_thread(std::uint64_t mask);

}  // namespace ums
