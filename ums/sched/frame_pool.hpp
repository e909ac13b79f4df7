// Memory for coroutine frames: kept in per-thread lists by size, so that the steady state allocates nothing. A frame that is freed on
// another thread than the one that allocated it joins that thread's list. A list keeps at most 256 KiB: otherwise the list of a thread that
// frees what others allocate would grow without end. Switched off under AddressSanitizer, which would otherwise miss a use after free.
#pragma once

#include <cstddef>

namespace ums {

void* allocate_frame(std::size_t size_bytes);
void free_frame(void* frame, std::size_t size_bytes) noexcept;

}  // namespace ums
