#include "config/roff.hpp"

#include <algorithm>
#include <cctype>

namespace config {

std::string roff_text(std::string_view text) {
    std::string escaped;
    bool at_line_start = true;
    for (const char c : text) {
        if (at_line_start && (c == '.' || c == '\'')) escaped += "\\&";
        at_line_start = c == '\n';
        switch (c) {
            case '\\': escaped += "\\e"; break;
            case '-': escaped += "\\-"; break;
            case '~': escaped += "\\(ti"; break;
            case '^': escaped += "\\(ha"; break;
            case '`': escaped += "\\(ga"; break;
            case '\'': escaped += "\\(aq"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

std::string roff_bold(std::string_view text) { return "\\fB" + roff_text(text) + "\\fR"; }

std::string roff_place(std::string_view text) { return "\\fI" + roff_text(text) + "\\fR"; }

std::string roff_section(std::string_view title) {
    std::string upper(title);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return ".SH " + roff_text(upper) + "\n";
}

std::string roff_example(std::string_view lines) {
    const bool is_closed = lines.ends_with('\n');
    return ".PP\n.in +4n\n.nf\n" + roff_text(lines) + (is_closed ? "" : "\n") + ".fi\n.in\n";
}

}  // namespace config
