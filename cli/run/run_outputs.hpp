// The files that a run writes besides its test files, checked together before the first one is touched.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run/patient_thread.hpp"
#include "cli/run/run_arguments.hpp"
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

// The files of --json and --html: the results of a run, for scripts and for people. Main thread only; they are written on another one,
// because their disk may not answer.
class ResultFiles {
public:
    // An empty path: not requested. `options` and `repeat_command` go into the documents; they must outlive this object. Throws as
    // reports::OutputFile does, so that no run begins in vain.
    ResultFiles(const std::string& json_path, const std::string& html_path, const sim::Options& options, const std::string& repeat_command);

    // The files that hold the results of an earlier run.
    [[nodiscard]] std::vector<std::string> earlier() const;

    // Replaces what the files hold, such as results of an earlier run, by those of a run that has begun but not ended. Pipes and terminals
    // get only one document, from write(). Waits for a second at most, and says nothing of failures, because write() meets them again.
    void begin(const sim::Results& unfinished);

    // Longer if one of them goes to a pipe or a terminal, whose reader may be a person.
    [[nodiscard]] ResultsPatience patience() const;

    // Returns one sentence for each file that could not be written. `keep_previous`: leaves results of an earlier run as they are. Once the
    // patience is over, returns the complaint; is_stuck() then.
    std::vector<std::string> write(const sim::Results& results, bool keep_previous, const ResultsPatience& patience);

    // The thread still waits for the disk: the process must end without the destructor.
    [[nodiscard]] bool is_stuck() const { return is_stuck_; }

private:
    // Null: not that file. One sentence for each that could not be written; nothing if the disk does not answer within `patience`.
    std::optional<std::vector<std::string>> write_patiently(reports::OutputFile* json, reports::OutputFile* html,
                                                            const sim::Results& results, std::chrono::milliseconds patience);
    // On the thread.
    std::vector<std::string> write_to(reports::OutputFile* json, reports::OutputFile* html, const sim::Results& results);

    const std::unique_ptr<reports::OutputFile> json_;  // null: not requested
    const std::unique_ptr<reports::OutputFile> html_;
    const sim::Options& options_;
    const std::string& repeat_command_;
    PatientThread thread_;
    bool is_stuck_ = false;
};

}  // namespace cli
