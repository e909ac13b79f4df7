// Elements of DiskSpd's XML, one per line, nested by two spaces. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "reports/xml_text.hpp"

namespace reports {

class DiskspdXml {
public:
    // `attributes`: appended to the name, beginning with a space; their values must be escaped already.
    void open(std::string_view name, std::string_view attributes = {}) {
        text_ += fmt::format("{:{}}<{}{}>\n", "", indent_, name, attributes);
        indent_ += 2;
    }
    void close(std::string_view name) {
        indent_ -= 2;
        text_ += fmt::format("{:{}}</{}>\n", "", indent_, name);
    }
    void empty(std::string_view name, std::string_view attributes) {
        text_ += fmt::format("{:{}}<{}{}/>\n", "", indent_, name, attributes);
    }
    void text(std::string_view name, std::string_view value) { raw(name, xml_escaped(value)); }
    void flag(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
    void number(std::string_view name, std::uint64_t value) { raw(name, fmt::format("{}", value)); }
    void number_with(std::string_view name, std::string_view attributes, std::uint64_t value) {
        text_ += fmt::format("{:{}}<{}{}>{}</{}>\n", "", indent_, name, attributes, value, name);
    }
    void decimal(std::string_view name, double value, int decimals) { raw(name, fmt::format("{:.{}f}", value, decimals)); }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void raw(std::string_view name, std::string_view value) { text_ += fmt::format("{:{}}<{}>{}</{}>\n", "", indent_, name, value, name); }

    std::string text_;
    int indent_ = 0;
};

}  // namespace reports
