// Memory for coroutine frames: kept in per-thread lists by size, so that the steady state allocates nothing. A frame may be freed on
// another thread than the one that made it; it then joins that thread's list. A list keeps at most 256 KiB: the list of a thread that frees
// what others allocate would otherwise grow without end. Switched off under AddressSanitizer, which otherwise would not see a use after
// free.
#pragma once

#include <cstddef>

namespace ums {

void* allocate_frame(std::size_t size_bytes);
void free_frame(void* frame, std::size_t size_bytes) noexcept;

}  // namespace ums
