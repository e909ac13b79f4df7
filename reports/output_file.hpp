// A file of results that is written in one go and replaces an older one of its kind, and nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/output_door.hpp"
#include "ums/base/unfinished_file.hpp"

namespace reports {

// On the main thread.
class OutputFile {
public:
    // Checks that the file can be written, so that nobody learns only after a run that it cannot: creates it if it does not exist. Throws
    // as open_output does.
    OutputFile(OutputKind kind, std::string path);
    // Removes what the constructor created if nothing was written.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // There is a file of an earlier run under the name.
    [[nodiscard]] bool has_previous_run() const;
    [[nodiscard]] bool is_stream() const { return output_.is_stream; }
    [[nodiscard]] const std::string& path() const { return path_; }

    // All or nothing: through a second file that takes the first one's name (and its permissions). A stream accepts what it can. One
    // sentence if it could not be done. Once.
    [[nodiscard]] std::optional<std::string> write(std::string_view text);

private:
    std::optional<std::string> replace(std::string_view text);
    [[nodiscard]] std::string failure(const std::string& reason) const;

    const OutputKind kind_;
    const std::string path_;  // as it was named
    OpenOutput output_;
    std::optional<ums::UnfinishedFile> placeholder_;  // while what the constructor made is empty
};

// `run --json`; html_kind(): --html of all commands.
OutputKind json_kind();
OutputKind html_kind();
// --json of the other commands, whose documents begin with their names (json_text.hpp).
OutputKind json_kind(std::string_view document);

}  // namespace reports
