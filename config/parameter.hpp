// One row of the table of parameters: everything that the readers, the writer, the help and the documentation know about a parameter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/options.hpp"

namespace config {

// The two formats of a configuration.
enum class Dialect : std::uint8_t { ini, toml };

enum class Section : std::uint8_t {
    config,
    random_user,
    audit_user,
    read_ahead_user,
    bulk_update_user,
    shrink_user,
    backup_user,
    columnstore_user,
    tempdb_user,
    version_store_user,
    file
};

struct SectionInfo {
    Section section{};
    std::string_view ini_name;    // RandomUser; files are File1, File2, ...
    std::string_view toml_name;   // random_user; files are [[file]]
    std::string_view help;        // one line
    std::string_view background;  // what SQL Server does in its place
};

enum class Kind : std::uint8_t {
    flag,   // INI: TRUE or FALSE; TOML: true or false
    count,  // a whole number
    ratio,  // INI: hundredths of a percent; TOML: percent with at most two decimals
    mask,   // 64 bits; also hexadecimal. TOML numbers have 63 bits: larger masks are written as a string
    text,
    choice,  // one of the words of `choices`
};

// The location of the value. The field's type is the parameter's type.
using Field = std::variant<bool*, std::int32_t*, std::uint32_t*, std::uint64_t*, std::string*, sim::Durability*>;
using OptionsField = Field (*)(sim::Options&);
using FileField = Field (*)(sim::FileOptions&);

// Bounds of a number, inclusive, in the unit of the INI file.
struct Range {
    std::int64_t min = 0;
    std::uint64_t max = 0;
    bool or_zero = false;               // 0 is allowed below min, too
    std::vector<std::uint64_t> only{};  // if not empty: only these
};

struct Parameter {
    Section section{};
    std::string_view ini_name;
    std::string_view ini_alias{};  // another accepted spelling, or empty
    std::string_view toml_name;
    Kind kind{};
    std::string_view unit{};  // of a number in the INI file; empty = a plain number
    Range range{};
    std::vector<std::string_view> choices{};  // of a choice, in the order of the field's values
    bool required = false;                    // has no default (files only)
    bool may_be_empty = false;                // a text
    std::variant<OptionsField, FileField> field{};
    std::string_view help;          // one line
    std::string_view details;       // what users should know to choose a value
    std::string_view background{};  // SQL Server's own behavior, or empty
};

}  // namespace config
