// The files that --json and --html ask for: the results of a run, for scripts and for people.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reports/output_file.hpp"
#include "sim/options.hpp"
#include "sim/results.hpp"

namespace cli {

class ResultFiles {
public:
    // An empty path: not requested. Throws as reports::OutputFile does, so that a run does not begin in vain.
    ResultFiles(const std::string& json_path, const std::string& html_path);

    // Those that hold the results of an earlier run.
    [[nodiscard]] std::vector<std::string> earlier() const;

    // One of them goes to a pipe or a terminal.
    [[nodiscard]] bool have_streams() const;

    // One sentence for each that could not be written. `keep_previous`: leaves those as they are.
    std::vector<std::string> write(const sim::Results& results, const sim::Options& options, const std::string& repeat_command,
                                   bool keep_previous);

private:
    const std::unique_ptr<reports::OutputFile> json_;  // null: not asked for
    const std::unique_ptr<reports::OutputFile> html_;
};

}  // namespace cli
