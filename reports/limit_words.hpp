// The words that limits consist of, for a run (thresholds.hpp) and for a measurement (measure_limits.hpp). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reports {

// Without surrounding blanks.
[[nodiscard]] std::string_view limit_trimmed(std::string_view text);

// Expressions separated by commas, without surrounding blanks. Empty ones are included. Behind " in FILE", what has neither '<' nor '>' is
// not an expression but the rest of the file's name.
[[nodiscard]] std::vector<std::string_view> limit_expressions(std::string_view text);

// "5 ms in FILE": removes " in FILE" from the end of `text` and returns FILE; empty if there is none.
[[nodiscard]] std::string take_limit_file(std::string_view& text);

// "5 ms" in microseconds: a non-negative number followed by us, ms or s. Nothing if it is not one, or longer than anyone waits.
[[nodiscard]] std::optional<double> limit_time_us(std::string_view text);
// A time as tables show it, "12 ms", with more digits, up to six, if only these show on which side of the limit it is: "50.3 ms".
[[nodiscard]] std::string limit_time_text(double duration_us, double limit_us);
// A non-negative number without a unit.
[[nodiscard]] std::optional<double> limit_number(std::string_view text);

}  // namespace reports
