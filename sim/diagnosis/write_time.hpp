// Calculates when a page was written, from its checksum. A CRC is linear: each bit of the time flips the same bits of the checksum,
// whatever the rest of the page is. The 32 bits of the low half, which header and stamps repeat, flip 32 independent combinations: for each
// high half exactly one low half fits a checksum.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

// `page`: kPageBytes, as it was written except for its checksum and the low half of its time. Puts the low half in with which the page's
// checksum is `checksum`, and returns it. Any thread.
std::uint32_t fit_low_half(std::byte* page, std::uint32_t checksum);

}  // namespace sim
