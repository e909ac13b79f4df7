// The two inner loops of making pages, in vectors as wide as the CPU has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

// `out[0 … count)` = `value`.
void fill_words(std::uint64_t* out, std::size_t count, std::uint64_t value);

// `out[i]` = `from[i]` ^ `key`; the ranges do not overlap.
void xor_words(std::uint64_t* out, const std::uint64_t* from, std::size_t count, std::uint64_t key);

}  // namespace sim
