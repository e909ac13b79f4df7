// Memory for coroutine frames. Each thread keeps freed frames in lists by size, so that the steady state allocates nothing. A frame joins
// the list of the thread that frees it, whichever thread allocated it. A list keeps at most 256 KiB: otherwise that of a thread that frees
// what others allocate would grow without end. Switched off under AddressSanitizer, which would otherwise miss a use after free.
#pragma once

#include <cstddef>

namespace ums {

void* allocate_frame(std::size_t size_bytes);
void free_frame(void* frame, std::size_t size_bytes) noexcept;

}  // namespace ums
