// The files that --json and --html ask for: what came of a run, for scripts and for people.
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
    // An empty path: not asked for. Throws as reports::OutputFile does, so that a run does not begin for nothing.
    ResultFiles(const std::string& json_path, const std::string& html_path);

    // One sentence for each that could not be written.
    std::vector<std::string> write(const sim::Results& results, const sim::Options& options, const std::string& repeat_command);

private:
    const std::unique_ptr<reports::OutputFile> json_;  // null: not asked for
    const std::unique_ptr<reports::OutputFile> html_;
};

}  // namespace cli
