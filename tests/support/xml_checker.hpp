// Checks whether a text is a well-formed XML 1.0 document. Small, strict, and fast enough for every step of a test. Supports what logs use:
// declaration, processing instructions, comments, elements, attributes, references; rejects the rest (DOCTYPE, CDATA).
#pragma once

#include <string>
#include <string_view>

namespace test {

// Returns what is wrong and where; empty if the text is well-formed.
std::string xml_error(std::string_view document);

}  // namespace test
