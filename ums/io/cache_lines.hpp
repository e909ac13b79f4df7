// Cache lines that leave the CPU's caches on purpose: what is written to persistent memory is durable only then.
#pragma once

#include <cstddef>
#include <string_view>

namespace ums {

// The instruction that writes lines back here: "clwb", "clflushopt", "clflush", or nothing if there is none.
[[nodiscard]] std::string_view line_write_back_name();

// Begins to write all lines of [data, data + size_bytes) to memory. Does nothing without an instruction for it.
void write_back_lines(const std::byte* data, std::size_t size_bytes);

// Waits until everything that this thread has begun so has been accepted by the memory.
void drain_lines();

}  // namespace ums
