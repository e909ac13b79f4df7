// Parses a small XML document into a tree: enough for the profiles that people write for DiskSpd. Pure.
//
// Supports elements, attributes, text, the five entities and numeric references, comments, CDATA, and a declaration at the beginning.
// Refuses a document type, so nothing can be included from outside or expanded. Takes bytes as UTF-8, and keeps them as they are.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

struct XmlElement {
    std::string name;  // without its namespace prefix
    std::vector<std::pair<std::string, std::string>> attributes;
    std::string text;  // all text directly below it, without surrounding blanks
    std::vector<XmlElement> children;
    std::uint32_t line = 0;  // where it begins

    [[nodiscard]] const XmlElement* child(std::string_view child_name) const;      // the first; nullptr = none
    [[nodiscard]] const std::string* attribute(std::string_view attribute) const;  // nullptr = none
};

// The message is for users: "line 7: …".
class XmlError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Throws XmlError. Elements nest at most 32 deep.
XmlElement read_xml(std::string_view document);

}  // namespace cli
