// Checks JSON of unknown origin before it is read into memory. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace reports {

// Nested values cause recursion when they are copied, written or freed; a key is compared with all others of its object; each value takes
// many times its size in memory.
struct JsonLimits {
    std::size_t depth = 32;
    std::size_t object_keys = 1'000;
    std::size_t values = 10'000'000;
};

// Nothing if the text is JSON within the limits; otherwise what is wrong, with the line: "is not JSON: line 3, column 7". Needs little
// memory, whatever the text is, and time proportional to its length.
std::optional<std::string> json_problem(std::string_view text, const JsonLimits& limits = {});

}  // namespace reports
