// The files that a run writes besides its test files, checked together before the first one is touched.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run_arguments.hpp"
#include "reports/output_door.hpp"
#include "reports/output_file.hpp"
#include "sim/options.hpp"
#include "sim/results.hpp"

namespace cli {

// -save replaces configurations that ioproof wrote, and leaves those that users wrote.
reports::OutputKind configuration_kind();

// All files that a run with these options makes or uses for its test, also those of tempdb and of backups, as the options name them.
std::vector<std::string> files_of_run(sim::Options options);

// Throws UsageError if two of them are the same file, or if one is also read or tested; sim::RefusedError or sim::EnvironmentError if one
// cannot be written.
void check_run_outputs(const RunArguments& arguments, const sim::Options& options);

// How long a run waits until its results are written, and what it says if they are not.
struct ResultsPatience {
    std::chrono::milliseconds limit{};
    std::string_view complaint;
};

// The files of --json and --html: the results of a run, for scripts and for people.
class ResultFiles {
public:
    // An empty path: not requested. Throws as reports::OutputFile does, so that no run begins in vain.
    ResultFiles(const std::string& json_path, const std::string& html_path);

    // The files that hold the results of an earlier run.
    [[nodiscard]] std::vector<std::string> earlier() const;

    // Longer if one of them goes to a pipe or a terminal, whose reader may be a person.
    [[nodiscard]] ResultsPatience patience() const;

    // Returns one sentence for each file that could not be written. `keep_previous`: leaves results of an earlier run as they are.
    std::vector<std::string> write(const sim::Results& results, const sim::Options& options, const std::string& repeat_command,
                                   bool keep_previous);

private:
    const std::unique_ptr<reports::OutputFile> json_;  // null: not requested
    const std::unique_ptr<reports::OutputFile> html_;
};

}  // namespace cli
