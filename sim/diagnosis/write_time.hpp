// Calculates when a page was written, from its checksum, which is all that is left of the image of a lost write. A CRC is linear: each bit
// of the time flips the same bits of the checksum, whatever the rest of the page is. The 32 bits of the low half, which header and stamps
// repeat, flip 32 independent combinations, so for each high half exactly one low half fits a checksum.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

// `page`: kPageBytes, as it was written except for its checksum and the low half of its time. Fills in the low half that gives the page
// this `checksum`, and returns it. Any thread.
std::uint32_t fit_low_half(std::byte* page, std::uint32_t checksum);

}  // namespace sim
