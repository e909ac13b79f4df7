// The bytes of a finding, drawn for people: which sectors and which bytes are wrong. Pure; lines of at most 100 columns, each ending with
// '\n'.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sim/finding.hpp"

namespace reports {

// How many lines of differing bytes are shown; the rest are counted.
inline constexpr std::size_t kDifferenceLinesMax = 64;

// A map of the page, 512 bytes per sector, with the 4096-byte boundaries and a legend, and what each sector says about itself. Empty
// without sectors.
std::string sector_map(const sim::Finding& finding);

// Both images side by side, 16 bytes per line, where they differ, with a line before and after. Empty if one is missing.
std::string byte_differences(std::span<const std::byte> written, std::span<const std::byte> read);

// All bytes, 32 per line; lines that repeat the previous one become a single '*', as in hexdump(1).
std::string hex_image(std::span<const std::byte> image);

}  // namespace reports
