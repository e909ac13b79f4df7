// Collects errors, so that the user sees all of them together or, for a file that is not a configuration, enough of them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/raw_config.hpp"

namespace config {

// Errors in a configuration or a switch. what() is one or more lines, one per error, each with the place (file, line, TOML also column; or
// the switch), the key, the value and what is allowed. The command line prints the warnings, then what(), and exits with 2.
class ConfigError : public std::runtime_error {
public:
    explicit ConfigError(const std::string& text, std::vector<std::string> warnings = {})
        : std::runtime_error(text), warnings_(std::move(warnings)) {}

    // One line each. They may tell the cause of an error: a missing FileName is a misspelled one, which was ignored.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

private:
    std::vector<std::string> warnings_;
};

// A quotation from a file, shortened so that it does not drown the message.
std::string shortened(std::string_view text);

class Problems {
public:
    // `text` is one line; control characters in it are made visible. Errors are shown in the order of their places, those without a place
    // first. Of both kinds, the first ones are kept and the others counted.
    void error(const std::string& text, Place place = {});
    void warning(const std::string& text);

    // Throws ConfigError with all errors so far, one per line, and the warnings, if there are errors. Shortens long lists.
    void throw_if_any() const;

    [[nodiscard]] std::size_t error_count() const { return error_count_; }
    [[nodiscard]] std::vector<std::string> warnings() const;
    // False if there are too many errors for suggestions, which cost time, to be of use.
    [[nodiscard]] bool shows_suggestions() const;

private:
    struct Error {
        Place place;
        std::string text;
    };

    std::vector<Error> errors_;
    std::size_t error_count_ = 0;
    std::vector<std::string> warnings_;
    std::size_t warning_count_ = 0;
};

}  // namespace config
