// A file of results that takes the place of an older one of ours, and of nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reports {

class OutputFile {
public:
    // Looks whether the file can be written, so that nobody waits for a run to learn that it cannot: makes it if it does not exist. `what`
    // is for messages ("JSON file"), `mark` stands near the beginning of files of this kind. Throws sim::RefusedError where something else
    // has that name, sim::EnvironmentError where the system does not let us.
    OutputFile(std::string what, std::string path, std::string_view mark);
    // Removes what the constructor made if nothing was written.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // All or nothing: by way of a second file that takes the first one's name. One sentence if it could not be done.
    [[nodiscard]] std::optional<std::string> write(std::string_view text);

private:
    const std::string what_;
    const std::string path_;
    bool made_ = false;
};

inline constexpr std::string_view kJsonMark = "\"program\":\"ioproof\"";
inline constexpr std::string_view kHtmlMark = "<!-- ioproof page -->";

}  // namespace reports
