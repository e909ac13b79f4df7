// Text that is safe to display. Names of files, strings in foreign documents and texts of devices are bytes that anybody may have chosen:
// an escape sequence among them could move the cursor, change colors or the title, or even type into the reader's terminal, and characters
// that reverse the direction of writing make one name look like another.
//
// Unsafe characters are shown by their numbers: control characters (C0 and C1), direction marks (Unicode's bidirectional algorithm), line
// and paragraph separators as \u001b; a byte that is not UTF-8 as \xff. In JSON \u001b means the same character, so a JSON document keeps
// its meaning.
#pragma once

#include <string>
#include <string_view>

namespace ums {

// For a name or a sentence within a line: line feeds and tabs are escaped, too.
std::string printable(std::string_view text);

// For whole lines of our own: line feeds and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace ums
