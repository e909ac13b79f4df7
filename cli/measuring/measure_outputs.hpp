// Where the figures of `ioproof bench` go besides the console: --json, --csv, --html.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/process/console.hpp"
#include "cli/process/distinct_files.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/json_document.hpp"
#include "reports/output_file.hpp"

namespace cli {

// Empty: not wanted.
struct MeasurePaths {
    std::string json;  // "-": on the standard output, instead of the text
    std::string csv;
    std::string html;

    // For check_distinct().
    [[nodiscard]] std::vector<NamedFile> named() const;
};

class MeasureOutputs {
public:
    // Checks immediately whether the files can be written; throws as OutputFile does. `document`: kMeasureDocument or kBenchDocument.
    MeasureOutputs(const MeasurePaths& paths, std::string_view document);

    [[nodiscard]] bool shows_text() const { return json_.shows_text(); }
    // For a measurement that has measured nothing: put() leaves files of an earlier one as they are. A message names them.
    void keep_earlier(Console& console);
    // Writes them all. The exit code of a command that would end with `code`: if a file cannot be written, this is reported, and the result
    // is not ok. Once.
    [[nodiscard]] ExitCode put(const nlohmann::ordered_json& document, Console& console, ExitCode code);

private:
    JsonOutput json_;
    std::optional<reports::OutputFile> csv_;
    std::optional<reports::OutputFile> html_;
};

}  // namespace cli
