// Writing cache lines back explicitly: data written to persistent memory is durable only when it has left the CPU's caches.
#pragma once

#include <cstddef>
#include <string_view>

namespace ums {

// The instruction that writes lines back on this CPU: "clwb", "clflushopt", "clflush", or nothing if it has none.
[[nodiscard]] std::string_view line_write_back_name();

// Begins to write all lines of [data, data + size_bytes) to memory. Does nothing without an instruction for it.
void write_back_lines(const std::byte* data, std::size_t size_bytes);

// Waits until the memory has accepted every line that this thread has begun to write back.
void drain_lines();

}  // namespace ums
