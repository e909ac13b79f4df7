#include "config/problems.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ums/base/printable.hpp"
#include "ums/base/utf8.hpp"

namespace config {

namespace {

// More would scroll the first ones away.
constexpr std::size_t kErrorsShownMax = 20;
constexpr std::size_t kWarningsShownMax = 50;
// Errors arrive nearly in the order of their places, so the first ones are among this many.
constexpr std::size_t kErrorsKeptMax = 10'000;

}  // namespace

std::string shortened(std::string_view text) {
    constexpr std::size_t kShownMax = 200;
    if (text.size() <= kShownMax) return std::string(text);
    std::size_t end = kShownMax;
    while (end > 0 && ums::is_continuation(text[end])) --end;  // not inside a character
    return std::string(text.substr(0, end)) + "...";
}

void Problems::error(const std::string& text, Place place) {
    if (++error_count_ <= kErrorsKeptMax) errors_.push_back({place, ums::printable(text)});
}

void Problems::warning(const std::string& text) {
    if (++warning_count_ <= kWarningsShownMax) warnings_.push_back(ums::printable(text));
}

bool Problems::shows_suggestions() const { return error_count_ + warning_count_ < kWarningsShownMax; }

std::vector<std::string> Problems::warnings() const {
    std::vector<std::string> shown = warnings_;
    if (warning_count_ > shown.size()) shown.push_back(fmt::format("and {} more warnings", warning_count_ - shown.size()));
    return shown;
}

void Problems::throw_if_any() const {
    if (errors_.empty()) return;
    std::vector<Error> sorted = errors_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Error& a, const Error& b) { return a.place < b.place; });
    std::string text;
    for (std::size_t i = 0; i < sorted.size() && i < kErrorsShownMax; ++i) {
        if (i != 0) text += '\n';
        text += sorted[i].text;
    }
    if (error_count_ > kErrorsShownMax) text += fmt::format("\nand {} more errors", error_count_ - kErrorsShownMax);
    throw ConfigError(text, warnings());
}

}  // namespace config
