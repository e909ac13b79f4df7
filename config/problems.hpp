// Collects what is wrong, so that a person sees all of it at once.
#pragma once

#include <string>
#include <vector>

#include "config/raw_config.hpp"

namespace config {

class Problems {
public:
    // `text` is one line; control characters that it quotes are made visible. Errors are shown in the order of their places, those without
    // one first.
    void error(const std::string& text, Place place = {});
    void warning(const std::string& text);

    // Throws ConfigError with all errors so far, one per line, if there is any. Long lists are cut.
    void throw_if_any() const;

    [[nodiscard]] std::size_t error_count() const { return errors_.size(); }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

private:
    struct Error {
        Place place;
        std::string text;
    };

    std::vector<Error> errors_;
    std::vector<std::string> warnings_;
};

}  // namespace config
