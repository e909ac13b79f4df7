// Text for XML 1.0 documents. Pure.
#pragma once

#include <string>
#include <string_view>

namespace reports {

// `text` (taken as UTF-8) for element content, and for attribute values in either kind of quotes. The result is plain ASCII: other
// characters become numeric references, which every reader understands, and a file may be cut between any two bytes and remain legal text
// (XmlTail relies on this). Bytes that are not UTF-8, and characters that XML 1.0 forbids (most control characters, U+FFFE, U+FFFF), become
// U+FFFD. Tab, line feed and carriage return become references, too, because a parser would otherwise turn them into spaces.
std::string xml_escaped(std::string_view text);

}  // namespace reports
