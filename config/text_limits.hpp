// Limits on a configuration file: far more than a user needs, and little enough that every file is read or refused quickly. One object for
// each file that is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace config {

class TextLimits {
public:
    // `file_name` must outlive the object.
    explicit TextLimits(const std::string& file_name) : file_name_(file_name) {}

    // Throw ConfigError, with the line, if a limit is exceeded. `rest` begins with the line.
    void begin_line(std::string_view rest);
    void count_section();
    void count_key();

    // Throws ConfigError about the current line.
    [[noreturn]] void refuse(std::string_view what) const;

private:
    const std::string& file_name_;
    std::uint32_t line_ = 0;
    std::size_t sections_ = 0;
    std::size_t keys_ = 0;
};

// Checks the text of a TOML file before the parser reads it. The parser recurses for each level of nesting, and so does freeing its result,
// so a line of some thousand dots or brackets would crash the process. Throws ConfigError, with the line, if the nesting, the length of
// lines, or the number of keys and tables exceeds what any configuration needs.
void refuse_excessive_toml(std::string_view text, const std::string& file_name);

}  // namespace config
