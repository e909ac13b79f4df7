// Converts a parameter's value from and to text, in both dialects, and checks it against its range.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/parameter.hpp"
#include "config/raw_config.hpp"

namespace config {

// Stores `value` in `field` and returns nothing; or leaves the field unchanged and returns what is wrong, e.g. "is not a whole number",
// without the place and without what is allowed.
std::optional<std::string> store_value(const Parameter& parameter, Dialect dialect, const RawValue& value, Field field);

// As written in a file. TOML text has quotes, INI text does not (the writer adds them where needed).
std::string value_text(const Parameter& parameter, Dialect dialect, Field field);

// The default as written in a file; empty for a required parameter.
std::string default_text(const Parameter& parameter, Dialect dialect);

// "0 to 10000 (hundredths of a percent, 10000 = 100 %)", "TRUE or FALSE", "0, or 8 to 16777216 MB", "32 or 128 pages".
std::string allowed_text(const Parameter& parameter, Dialect dialect);

// "hundredths of a percent", "percent", "ms", ...; empty = none.
std::string_view unit_text(const Parameter& parameter, Dialect dialect);

// A string in TOML's basic form, in quotes. `text` must be UTF-8.
std::string quoted_for_toml(std::string_view text);

}  // namespace config
