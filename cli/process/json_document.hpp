// The documents that a command writes, and those of earlier runs that it reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "reports/output_file.hpp"

namespace cli {

// The destination of the document of `--json FILE`: a file made by ioproof, or with '-' standard output, in place of the text.
class JsonOutput {
public:
    // `path`: a file, "-", or empty if no document is wanted. Checks immediately whether the file can be written; throws as OutputFile
    // does.
    JsonOutput(const std::string& path, std::string_view document);

    [[nodiscard]] bool shows_text() const { return !is_standard_output_; }
    // Leaves the file as it is if it holds an earlier document: put() does not write it then. Returns its path.
    std::optional<std::string> keep_earlier();
    // Writes the document, and returns the exit code as put_file() does.
    [[nodiscard]] ExitCode put(const std::string& json, Console& console, ExitCode code);

private:
    const bool is_standard_output_;
    std::optional<reports::OutputFile> file_;
};

// Writes a file that a command was asked for, and returns the command's exit code: `code`, unless the file cannot be written, which is
// reported and is not ok.
[[nodiscard]] ExitCode put_file(reports::OutputFile& file, const std::string& text, Console& console, ExitCode code);

// A document of an earlier run or measurement that a command reads: the bytes of its file. Throws reports::ResultsDocumentError if it
// cannot be such a document, sim::EnvironmentError if it cannot be read.
[[nodiscard]] std::string read_document(const std::string& path);

}  // namespace cli
