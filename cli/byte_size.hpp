// Sizes as people write them: "512", "8K", "1M", "2G", "1T"; units are powers of 1024.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cli {

// Empty if `text` is not such a size or does not fit.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace cli
