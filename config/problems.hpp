// Collects what is wrong, so that a person sees all of it at once.
#pragma once

#include <string>
#include <vector>

namespace config {

class Problems {
public:
    void error(std::string line) { errors_.push_back(std::move(line)); }
    void warning(std::string line) { warnings_.push_back(std::move(line)); }

    // Throws ConfigError with all errors so far, one per line, if there is any. Long lists are cut.
    void throw_if_any() const;

    [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

private:
    std::vector<std::string> errors_;
    std::vector<std::string> warnings_;
};

}  // namespace config
