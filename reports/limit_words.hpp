// The words that limits are made of, of a run (thresholds.hpp) and of a measurement (measure_limits.hpp). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reports {

// Without blanks around it.
[[nodiscard]] std::string_view limit_trimmed(std::string_view text);

// Expressions are separated by commas; without blanks around them. An empty one is one, too.
[[nodiscard]] std::vector<std::string_view> limit_expressions(std::string_view text);

// "5 ms in FILE": takes " in FILE" off the end of `text` and returns FILE; empty if there is none.
[[nodiscard]] std::string take_limit_file(std::string_view& text);

// "5 ms" in microseconds: a number that is not negative with us, ms or s behind it. Nothing if it is none, or more than anybody waits for.
[[nodiscard]] std::optional<double> limit_time_us(std::string_view text);
// A number that is not negative without a unit.
[[nodiscard]] std::optional<double> limit_number(std::string_view text);

}  // namespace reports
