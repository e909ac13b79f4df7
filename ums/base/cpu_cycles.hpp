// Burns CPU, as work between two I/Os would. Counted in cycles of the time-stamp counter where there is one, else in nanoseconds.
#pragma once

#include <cstdint>

namespace ums {

void burn_cpu_cycles(std::uint64_t cycles);

}  // namespace ums
