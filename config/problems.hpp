// Collects what is wrong, so that a person sees all of it together or, for a file that is not a configuration, enough of it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "config/raw_config.hpp"

namespace config {

// What is wrong with a configuration or a switch, in words for the person who wrote it.
// what() is one or more lines, one per error, each with the place (file, line, TOML also column; or the switch), the key, the value and
// what is allowed. The command line prints it and exits with 2.
class ConfigError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What a message quotes of a file, cut if it would drown the message.
std::string shortened(std::string_view text);

class Problems {
public:
    // `text` is one line; control characters that it quotes are made visible. Errors are shown in the order of their places, those without
    // one first. The first of both kinds are kept, the others counted.
    void error(const std::string& text, Place place = {});
    void warning(const std::string& text);

    // Throws ConfigError with all errors so far, one per line, if there is any. Long lists are cut.
    void throw_if_any() const;

    [[nodiscard]] std::size_t error_count() const { return error_count_; }
    [[nodiscard]] std::vector<std::string> warnings() const;
    // False if so much is wrong that nobody would read a suggestion, which costs time.
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
