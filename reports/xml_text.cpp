#include "reports/xml_text.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "ums/base/utf8.hpp"

namespace reports {

namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

bool is_allowed(std::uint32_t character) {
    if (character < 0x20) return character == '\t' || character == '\n' || character == '\r';
    return character != 0xfffe && character != 0xffff;
}

// Takes one character off the front of `text`; kReplacement for characters that XML does not allow, and for each byte that is not UTF-8.
std::uint32_t take_character(std::string_view& text) {
    const auto character = ums::take_code_point(text);
    if (!character) text.remove_prefix(1);
    return character && is_allowed(*character) ? *character : kReplacement;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::uint32_t character = take_character(text);
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
                    result += fmt::format("&#x{:X};", character);
                }
        }
    }
    return result;
}

}  // namespace reports
