// The bytes of a finding, drawn for people: which sectors, which bytes. Pure; lines of at most 100 columns, each ending with '\n'.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sim/finding.hpp"

namespace reports {

// Lines of differing bytes that are shown; the rest is counted.
inline constexpr std::size_t kDifferenceLinesMax = 64;

// A map of the page at 512 bytes a sector, with the 4096-byte line and a legend, and what each sector says about itself. Empty without
// sectors.
std::string sector_map(const sim::Finding& finding);

// Both images side by side, 16 bytes a line, where they differ, with a line before and after. Empty if one is missing.
std::string byte_differences(std::span<const std::byte> written, std::span<const std::byte> read);

// All bytes, 32 a line; further lines that repeat the one before are a '*', as in hexdump(1).
std::string hex_image(std::span<const std::byte> image);

}  // namespace reports
