// Numbers and sizes in the form of DiskSpd's command line. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cli {

// Like C's atoi: leading blanks are skipped, what follows the digits does not matter ("8 threads" = 8), no digits are 0. So "-o 8" in one
// word works, as scripts write it. Limited to ±2^62.
std::int64_t lenient_number(std::string_view text);

struct DiskspdSizeWord {
    std::uint64_t bytes = 0;
    std::string_view rest;  // behind it
};

// Decimal digits and optionally K, M, G, T (1024 to the power of 1 to 4) or b (blocks of `block_bytes`), in either case. Nothing if there
// are no digits, or too many.
std::optional<DiskspdSizeWord> leading_size(std::string_view text, std::uint64_t block_bytes);

// The same with nothing after it.
std::optional<std::uint64_t> whole_size(std::string_view text, std::uint64_t block_bytes);

}  // namespace cli
