// Determines where every 512-byte sector of an image comes from. A stamp alone proves nothing: what it claims is recreated from its seed
// and compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/diagnosis/written_image.hpp"
#include "sim/finding.hpp"

namespace sim {

using SectorMap = std::array<SectorFact, kSectorsPerPage>;

// `image`: kPageBytes, 8-aligned. Pure.
[[nodiscard]] SectorMap map_sectors(const std::byte* image, const ExpectedPage& expected, const WrittenImage& written);

// Marks sectors as older that are of an earlier write of the expected version, as in a file that is restored, if nothing else is wrong
// and they are not the whole page. Only the times tell the two writes apart. Pure.
void mark_earlier_write(SectorMap& sectors, const std::byte* image, const ExpectedPage& expected, const WrittenImage& written);

// Every block of 4096 bytes is of one version.
[[nodiscard]] bool is_tear_on_4k_lines(const SectorMap& sectors);

// Bytes that still hold the pattern of stamp_not_read(), in whole words.
[[nodiscard]] std::uint32_t count_not_read_bytes(const std::byte* image);

}  // namespace sim
