// Operations of io_uring that the headers of older distributions do not name. The numbers are part of the kernel's interface and never
// change (linux/io_uring.h); whether the running kernel has one is asked when the program starts.
#pragma once

#include <cstdint>

namespace ums {

inline constexpr std::uint8_t kUringOpTruncate = 55;  // IORING_OP_FTRUNCATE, Linux 6.9

}  // namespace ums
