#include "config/problems.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/config_error.hpp"

namespace config {

namespace {

// More would scroll the first ones away.
constexpr std::size_t kErrorsShownMax = 20;

std::string printable(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F) {
            out += fmt::format("\\x{:02X}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace

void Problems::error(const std::string& text, Place place) { errors_.push_back({place, printable(text)}); }

void Problems::warning(const std::string& text) { warnings_.push_back(printable(text)); }

void Problems::throw_if_any() const {
    if (errors_.empty()) return;
    std::vector<Error> sorted = errors_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Error& a, const Error& b) { return a.place < b.place; });
    std::string text;
    for (std::size_t i = 0; i < sorted.size() && i < kErrorsShownMax; ++i) {
        if (i != 0) text += '\n';
        text += sorted[i].text;
    }
    if (sorted.size() > kErrorsShownMax) text += fmt::format("\nand {} more errors", sorted.size() - kErrorsShownMax);
    throw ConfigError(text);
}

}  // namespace config
