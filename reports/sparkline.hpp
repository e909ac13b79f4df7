// The course of a figure in a few columns of text, as "▁▃▇█▇▅". Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace reports {

// Columns of the terminal's progress line.
inline constexpr std::size_t kSparklineColumns = 16;

// The last `columns` values (fewer, if there are fewer), the highest of them as a full block, 0 as the lowest; needs UTF-8.
[[nodiscard]] std::string sparkline(const std::deque<double>& values, std::size_t columns);

}  // namespace reports
