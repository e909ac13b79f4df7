// How often a text contains another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

inline std::size_t count_of(const std::string& text, std::string_view token) {
    std::size_t count = 0;
    for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token, at + 1)) ++count;
    return count;
}
