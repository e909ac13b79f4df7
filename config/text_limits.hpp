// How much a configuration file may hold: far more than a person needs, and little enough that every file is read or refused quickly. One
// object watches over the reading of one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace config {

class TextLimits {
public:
    // `file_name` must outlive it.
    explicit TextLimits(const std::string& file_name) : file_name_(file_name) {}

    // Throw ConfigError, with the line, if there is more than is allowed. `rest` begins with the line.
    void begin_line(std::string_view rest);
    void count_section();
    void count_key();

    // Throws ConfigError about the present line.
    [[noreturn]] void refuse(std::string_view what) const;

private:
    const std::string& file_name_;
    std::uint32_t line_ = 0;
    std::size_t sections_ = 0;
    std::size_t keys_ = 0;
};

}  // namespace config
