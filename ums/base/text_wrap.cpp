#include "ums/base/text_wrap.hpp"

#include <algorithm>

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
        // Names of files may have several in a row.
        const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
        text.remove_prefix(blanks);
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(word.size());
        if (word.empty()) break;
        const std::size_t width = display_width(word);
        if (!line_is_empty && column + blanks + width > columns) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
            line_is_empty = true;
        }
        if (!line_is_empty) {
            out.append(blanks, ' ');
            column += blanks;
        }
        out += word;
        column += width;
        line_is_empty = false;
    }
    return out + '\n';
}

}  // namespace ums
