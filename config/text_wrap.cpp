#include "config/text_wrap.hpp"

namespace config {

std::string wrap(std::string_view text, std::size_t columns, std::string_view first_indent, std::size_t indent) {
    std::string out(first_indent);
    std::size_t column = first_indent.size();
    bool line_is_empty = true;
    while (!text.empty()) {
        const std::size_t end = text.find(' ');
        const std::string_view word = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (word.empty()) continue;
        if (!line_is_empty && column + 1 + word.size() > columns) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
            line_is_empty = true;
        }
        if (!line_is_empty) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        line_is_empty = false;
    }
    return out + '\n';
}

}  // namespace config
