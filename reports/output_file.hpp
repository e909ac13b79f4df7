// A results file that is written all at once, and replaces only an older one of its kind.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/output_door.hpp"
#include "ums/base/unfinished_file.hpp"

namespace reports {

// Main thread only.
class OutputFile {
public:
    // Checks that the file can be written, so that this does not fail only after a run: creates the file if it does not exist. Throws as
    // open_output does.
    OutputFile(OutputKind kind, std::string path);
    // Removes what the constructor created, unless something was written.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // A file of an earlier run has the name.
    [[nodiscard]] bool has_previous_run() const;
    [[nodiscard]] bool is_stream() const { return output_.is_stream; }
    [[nodiscard]] const std::string& path() const { return path_; }

    // All or nothing: writes a second file, which takes the first one's name and permissions; if the folder takes none, writes over the
    // first one. A stream takes what it can, and only once; a file may be replaced again. Returns one sentence on failure.
    [[nodiscard]] std::optional<std::string> write(std::string_view text);

private:
    std::optional<std::string> replace(std::string_view text);
    [[nodiscard]] std::string failure(const std::string& reason) const;

    const OutputKind kind_;
    const std::string path_;  // as given
    OpenOutput output_;
    std::optional<ums::UnfinishedFile> placeholder_;  // while the file that the constructor created is empty
};

// `run --json`; html_kind(): --html of all commands.
OutputKind json_kind();
OutputKind html_kind();
// --json of the other commands, whose documents begin with their names (json_text.hpp).
OutputKind json_kind(std::string_view document);

}  // namespace reports
