// Breaks text into lines that fit a terminal of a given width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ums {

// Columns on a terminal, counting one for each UTF-8 character.
std::size_t display_width(std::string_view text);

// Breaks `text` at blanks so that no line is wider than `columns`, unless a single word is. The first line begins with `first_indent`, the
// others with as many blanks as `indent`. Blanks at the beginning, at the end and where a line breaks are dropped, those between words are
// kept. Ends in a line feed.
std::string wrap(std::string_view text, std::size_t columns, std::string_view first_indent, std::size_t indent);

}  // namespace ums
