#include "config/problems.hpp"

#include <fmt/format.h>

#include "config/config_error.hpp"

namespace config {

namespace {

// More would scroll the first ones away.
constexpr std::size_t kErrorsShownMax = 20;

}  // namespace

void Problems::throw_if_any() const {
    if (errors_.empty()) return;
    std::string text;
    for (std::size_t i = 0; i < errors_.size() && i < kErrorsShownMax; ++i) {
        if (i != 0) text += '\n';
        text += errors_[i];
    }
    if (errors_.size() > kErrorsShownMax) text += fmt::format("\nand {} more errors", errors_.size() - kErrorsShownMax);
    throw ConfigError(text);
}

}  // namespace config
