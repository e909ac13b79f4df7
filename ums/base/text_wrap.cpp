#include "ums/base/text_wrap.hpp"

#include "ums/base/utf8.hpp"

namespace ums {

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (const char byte : text) width += is_continuation(byte) ? 0 : 1;
    return width;
}

std::string wrap(std::string_view text, std::size_t columns, std::string_view first_indent, std::size_t indent) {
    std::string out(first_indent);
    std::size_t column = display_width(first_indent);
    bool line_is_empty = true;
    while (!text.empty()) {
        const std::size_t end = text.find(' ');
        const std::string_view word = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (word.empty()) continue;
        const std::size_t width = display_width(word);
        if (!line_is_empty && column + 1 + width > columns) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
            line_is_empty = true;
        }
        if (!line_is_empty) {
            out += ' ';
            ++column;
        }
        out += word;
        column += width;
        line_is_empty = false;
    }
    return out + '\n';
}

}  // namespace ums
