// Where `--json FILE` of a command puts its document: a file of ours or, with '-', standard output instead of the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "reports/output_file.hpp"

namespace cli {

class JsonOutput {
public:
    // `path`: of the file, "-", or empty: no document is wanted. Checks immediately whether the file can be written; throws as OutputFile
    // does.
    JsonOutput(const std::string& path, std::string_view document);

    [[nodiscard]] bool shows_text() const { return !is_standard_output_; }
    // The exit code of a command that would end with `code`: if the file cannot be written, this is reported, and the result is not ok.
    [[nodiscard]] ExitCode put(const std::string& json, Console& console, ExitCode code);

private:
    const bool is_standard_output_;
    std::optional<reports::OutputFile> file_;
};

// A document of an earlier run or measurement, as a command was given it: the bytes of its file.
// The file's bytes. Throws reports::ResultsDocumentError if it is none that could be read as a document, sim::EnvironmentError if it cannot
// be read.
[[nodiscard]] std::string read_document(const std::string& path);

}  // namespace cli
