// Numbers and sizes in the form of DiskSpd's command line. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cli {

// Without the blanks before it that C's isspace() knows.
std::string_view skip_blanks(std::string_view text);

// Like C's atoi: skips leading blanks and ignores what follows the digits ("8 threads" = 8); no digits are 0. So "-o 8" in one word works,
// as scripts write it. Limited to ±2^62.
std::int64_t lenient_number(std::string_view text);

struct DiskspdSizeWord {
    std::uint64_t bytes = 0;
    std::string_view rest;  // what follows it
};

// Decimal digits and optionally K, M, G, T (1024 to the power of 1 to 4) or b (blocks of `block_bytes`), in either case. Nothing if there
// are no digits, or too many.
std::optional<DiskspdSizeWord> leading_size(std::string_view text, std::uint64_t block_bytes);

// Like leading_size(), but nothing may follow the size.
std::optional<std::uint64_t> whole_size(std::string_view text, std::uint64_t block_bytes);

}  // namespace cli
