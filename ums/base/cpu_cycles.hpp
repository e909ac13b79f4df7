// Burns CPU, as work between two I/Os would. Counts cycles of the time-stamp counter if there is one, otherwise nanoseconds.
#pragma once

#include <cstdint>

namespace ums {

void burn_cpu_cycles(std::uint64_t cycles);

}  // namespace ums
