// Is a text a well-formed XML 1.0 document? Small and strict, and quick enough to be asked after every step of a test. Knows what logs
// are made of: declaration, processing instructions, comments, elements, attributes, references; refuses the rest (DOCTYPE, CDATA).
#pragma once

#include <string>
#include <string_view>

namespace test {

// Empty if it is well-formed, else what is wrong and where.
std::string xml_error(std::string_view document);

}  // namespace test
