// A small XML document as a tree: enough for the profiles that people write for DiskSpd. Pure.
//
// Elements, attributes, text, the five entities and numeric references, comments, CDATA, a declaration in front. A document type is
// refused, so nothing can be included from outside or expanded. Bytes are taken as UTF-8 and kept as they are.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

struct XmlElement {
    std::string name;  // without the prefix of a namespace
    std::vector<std::pair<std::string, std::string>> attributes;
    std::string text;  // all text directly below it, without surrounding blanks
    std::vector<XmlElement> children;
    std::uint32_t line = 0;  // where it begins

    [[nodiscard]] const XmlElement* child(std::string_view child_name) const;      // the first; nullptr = none
    [[nodiscard]] const std::string* attribute(std::string_view attribute) const;  // nullptr = none
};

// The message is for a person: "line 7: …".
class XmlError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Throws XmlError. Elements nest at most 32 deep.
XmlElement read_xml(std::string_view document);

}  // namespace cli
