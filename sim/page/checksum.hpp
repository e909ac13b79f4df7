// CRC-32C (Castagnoli; RFC 3720, appendix B.4), as used by iSCSI, ext4 and btrfs. Known answer: "123456789" -> 0xe3069283.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

// `before`: the checksum of the bytes before these, if there are any.
[[nodiscard]] std::uint32_t crc32c(const std::byte* data, std::size_t size_bytes, std::uint32_t before = 0);

}  // namespace sim
