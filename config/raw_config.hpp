// What a reader found in a file: sections, keys and values as written, with their places. Independent of the table of parameters.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "config/parameter.hpp"

namespace config {

// In INI everything is `untyped`.
enum class RawType : std::uint8_t { untyped, boolean, integer, floating, string, other };

struct RawValue {
    RawType type = RawType::untyped;
    std::string text;   // as written; the contents of a TOML string
    double number = 0;  // of `floating`
};

struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;  // 0 = not known (INI)

    friend auto operator<=>(const Place&, const Place&) = default;
};

struct RawEntry {
    std::string key;
    RawValue value;
    Place place;
};

struct RawSection {
    std::string name;  // without brackets
    Place place;
    std::vector<RawEntry> entries;
};

struct RawConfig {
    std::string file_name;
    Dialect dialect = Dialect::ini;
    std::vector<RawSection> sections;  // in the order of the file; INI: a name may occur more than once
};

// "quick.ini:12" or "nvme.toml:12:5".
std::string describe(const std::string& file_name, Place place);

}  // namespace config
