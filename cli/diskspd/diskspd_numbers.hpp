// Numbers and sizes as DiskSpd's command line has them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cli {

// As C's atoi: blanks in front are skipped, what stands behind the digits does not matter ("8 threads" = 8), no digits are 0. That makes
// "-o 8" in one word work, as scripts write it. Held within ±2^62.
std::int64_t lenient_number(std::string_view text);

struct DiskspdSizeWord {
    std::uint64_t bytes = 0;
    std::string_view rest;  // behind it
};

// Decimal digits and perhaps K, M, G, T (1024 to the power of 1 to 4) or b (blocks of `block_bytes`), in any case. Nothing if there are no
// digits, or too many.
std::optional<DiskspdSizeWord> leading_size(std::string_view text, std::uint64_t block_bytes);

// The same with nothing behind it.
std::optional<std::uint64_t> whole_size(std::string_view text, std::uint64_t block_bytes);

}  // namespace cli
