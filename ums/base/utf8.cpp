#include "ums/base/utf8.hpp"

#include "ums/base/assert.hpp"

namespace ums {

namespace {

// By the first byte; 0 = not one that begins a code point.
std::size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead < 0xE0) return 2;
    if (lead >= 0xE0 && lead < 0xF0) return 3;
    if (lead >= 0xF0 && lead < 0xF5) return 4;
    return 0;
}

bool is_allowed(std::uint32_t code, std::size_t length) {
    if (length == 3) return code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
    if (length == 4) return code >= 0x10000 && code <= 0x10FFFF;
    return true;  // shorter overlong forms start with bytes that are never valid first bytes
}

}  // namespace

void append_utf8(std::string& out, std::uint32_t code) {
    const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    const auto add_continuation = [&](unsigned shift) { add(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | (code >> 6));
        add_continuation(0);
    } else if (code < 0x10000) {
        add(0xE0 | (code >> 12));
        add_continuation(6);
        add_continuation(0);
    } else {
        add(0xF0 | (code >> 18));
        add_continuation(12);
        add_continuation(6);
        add_continuation(0);
    }
}

std::optional<std::uint32_t> take_code_point(std::string_view& rest) {
    UMS_ASSERT(!rest.empty());
    const auto lead = static_cast<unsigned char>(rest[0]);
    const std::size_t length = sequence_length(lead);
    if (length == 0 || length > rest.size()) return std::nullopt;
    std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(rest[i]);
        if ((byte & 0xC0) != 0x80) return std::nullopt;
        code = code << 6 | (byte & 0x3F);
    }
    if (!is_allowed(code, length)) return std::nullopt;
    rest.remove_prefix(length);
    return code;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        if (!take_code_point(text)) return false;
    }
    return true;
}

}  // namespace ums
