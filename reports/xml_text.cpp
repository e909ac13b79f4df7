#include "reports/xml_text.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace reports {

namespace {

constexpr char32_t kReplacement = 0xfffd;

// Takes one character off the front of `text`; kReplacement for what is no UTF-8 (one byte at a time). Table 3-7 of the Unicode standard:
// no overlong forms, no surrogates, nothing above U+10FFFF.
char32_t take_character(std::string_view& text) {
    const auto byte_at = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0}; };
    const std::uint8_t lead = byte_at(0);
    std::size_t size = 1;
    char32_t character = lead;
    std::uint8_t second_min = 0x80;
    std::uint8_t second_max = 0xbf;
    if (lead >= 0xf0) {
        size = 4;
        character = lead & 0x07;
        if (lead == 0xf0) second_min = 0x90;
        if (lead == 0xf4) second_max = 0x8f;
    } else if (lead >= 0xe0) {
        size = 3;
        character = lead & 0x0f;
        if (lead == 0xe0) second_min = 0xa0;
        if (lead == 0xed) second_max = 0x9f;
    } else if (lead >= 0xc2) {
        size = 2;
        character = lead & 0x1f;
    }
    bool sound = lead < 0x80 || (lead >= 0xc2 && lead <= 0xf4);
    for (std::size_t i = 1; sound && i < size; ++i) {
        const std::uint8_t byte = byte_at(i);
        sound = i == 1 ? byte >= second_min && byte <= second_max : (byte & 0xc0) == 0x80;
        character = (character << 6) | (byte & 0x3f);
    }
    text.remove_prefix(sound ? size : 1);
    return sound ? character : kReplacement;
}

bool is_allowed(char32_t character) {
    if (character < 0x20) return character == '\t' || character == '\n' || character == '\r';
    return character != 0xfffe && character != 0xffff;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        char32_t character = take_character(text);
        if (!is_allowed(character)) character = kReplacement;
        switch (character) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '\'': result += "&apos;"; break;
            case '"': result += "&quot;"; break;
            default:
                if (character >= 0x20 && character < 0x7f) {
                    result += static_cast<char>(character);
                } else {
                    result += fmt::format("&#x{:X};", static_cast<std::uint32_t>(character));
                }
        }
    }
    return result;
}

}  // namespace reports
