// The headers of two images, decoded field by field, hex and decimal. Pure; lines of at most 100 columns, each ending with '\n'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace reports {

enum class HeaderKind : std::uint8_t {
    page,          // docs/page_format.md
    log_block,     // docs/log_format.md
    backup_chunk,  // docs/backup_format.md
};

// Decodes the bytes, whatever they are, as headers of this kind. Either image may be missing; empty if both are. `unknown`: fields of the
// written header whose value nobody knows, whatever its bytes are.
std::string header_comparison(std::span<const std::byte> written, std::span<const std::byte> read, HeaderKind kind,
                              std::span<const std::string_view> unknown = {});

// "28:18:1" for an LSN: virtual log file, 512-byte unit in it, slot in the block; "-" for 0.
std::string lsn_text(std::uint64_t lsn);

}  // namespace reports
