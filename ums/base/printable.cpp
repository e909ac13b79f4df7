#include "ums/base/printable.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ums/base/utf8.hpp"

namespace ums {

namespace {

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

// Ascending.
constexpr std::array<Range, 7> kHidden{{{0x00, 0x1f},        // C0: escape sequences begin here
                                        {0x7f, 0x9f},        // delete, C1: escape sequences of 8-bit terminals
                                        {0x061c, 0x061c},    // Arabic letter mark
                                        {0x200e, 0x200f},    // marks left to right, right to left
                                        {0x2028, 0x202e},    // separators of lines and paragraphs, embeddings, overrides
                                        {0x2066, 0x206f},    // isolates, deprecated formats
                                        {0xfff9, 0xfffb}}};  // interlinear annotation

bool is_hidden(std::uint32_t code) {
    return std::any_of(kHidden.begin(), kHidden.end(), [&](const Range& range) { return code >= range.first && code <= range.last; });
}

std::string made_visible(std::string_view text, std::string_view allowed) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::string_view before = text;
        const auto code = take_code_point(text);
        if (!code) {
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
            text.remove_prefix(1);
        } else if (is_hidden(*code) && allowed.find(before.front()) == std::string_view::npos) {
            result += fmt::format("\\u{:04x}", *code);
        } else {
            result += before.substr(0, before.size() - text.size());
        }
    }
    return result;
}

}  // namespace

std::string printable(std::string_view text) { return made_visible(text, {}); }

std::string printable_lines(std::string_view text) { return made_visible(text, "\n\t"); }

}  // namespace ums
