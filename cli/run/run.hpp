// One run and everything that lives as long as it: output files, console, storage, simulation. run_command.cpp decides what to run; this
// class carries it out, from the first message to the last.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "cli/group/group_member.hpp"
#include "cli/process/composite_sink.hpp"
#include "cli/process/console.hpp"
#include "cli/process/console_sink.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/progress_display.hpp"
#include "cli/process/run_control.hpp"
#include "cli/process/stop_signals.hpp"
#include "cli/rehearse/rehearsal_on_files.hpp"
#include "cli/run/drain_watch.hpp"
#include "cli/run/moment_pipe.hpp"
#include "cli/run/output_writer.hpp"
#include "cli/run/patient_thread.hpp"
#include "cli/run/run_arguments.hpp"
#include "cli/run/run_outputs.hpp"
#include "cli/run/start_text.hpp"
#include "cli/status/status_server.hpp"
#include "reports/error_dump.hpp"
#include "reports/findings_file.hpp"
#include "reports/status.hpp"
#include "reports/xml_log.hpp"
#include "sim/preflight_line.hpp"
#include "sim/promises/promise_keeper.hpp"
#include "sim/run/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {

// The exit code of a run that ended. Pure.
[[nodiscard]] ExitCode exit_code_of(const sim::Results& results);

// A finding determines the exit code even if the run is ended by force.
class ExitCodeSink final : public sim::EventSink {
public:
    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const sim::Finding& finding) override {
        if (!finding.is_warning) set_immediate_exit_code(ExitCode::integrity);
    }
};

// Remembers that the run has begun, for another thread.
class BeginSink final : public sim::EventSink {
public:
    // `wake`: calls that thread; must not wait.
    explicit BeginSink(std::function<void()> wake) : wake_(std::move(wake)) {}
    void on_begin() override {
        has_begun_ = true;
        wake_();
    }
    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const sim::Finding& /*finding*/) override {}

    // True once, after the run has begun. On that thread.
    [[nodiscard]] bool has_begun() { return has_begun_.exchange(false); }

private:
    const std::function<void()> wake_;
    std::atomic<bool> has_begun_{false};
};

// Main thread only, except status_texts().
class Run {
public:
    // Opens the output files. Throws what prevents the run from starting; nothing that existed before has been touched then. `group`: the
    // membership, or null; must outlive the run.
    Run(sim::Options options, const RunArguments& arguments, bool as_sqliosim, Console& console, const GracefulStop& graceful_stop,
        GroupMember* group = nullptr);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // Reports an event to the log and to the console.
    void emit(sim::Severity severity, const std::string& text, std::source_location where = std::source_location::current());
    // Reports what was drawn or determined, and the state of the folders.
    void announce(const StartFacts& facts);

    // Runs to the end, and leaves the report in the console's queue. Ends the process instead if a disk does not answer, because waiting
    // for it cannot be canceled.
    [[nodiscard]] ExitCode execute();

    // The number of wrong answers of the storage. Only after execute().
    [[nodiscard]] std::uint64_t finding_count() const { return simulation_.progress().findings; }

    // The live view; only on its thread.
    [[nodiscard]] StatusTexts status_texts(const std::string& engine);

private:
    void emit_or_log(sim::Severity severity, const std::string& text, std::source_location where = std::source_location::current());
    void run_preflight();
    void warn_of_near_ledger();
    [[nodiscard]] sim::Event event_of(sim::Severity severity, const std::string& text, const std::source_location& where) const;
    [[nodiscard]] std::vector<sim::EventSink*> receivers();

    void stop(int signal);
    void wake() {
        begin_result_files();
        flush_console();
    }
    void show_progress();
    // If the console is a file, to write to it may take as long as its disk does not answer.
    void flush_console() {
        simulation_.expect_looks(false);
        console_.flush(display_.line());
        simulation_.expect_looks(true);
    }
    void watch_output();
    void watch_drain(const sim::Progress& progress);
    [[noreturn]] void give_up(ExitCode code, const std::string& result, const std::string& message);
    [[noreturn]] void give_up_on(const sim::Progress::Call& call);

    ExitCode end(sim::Results results);
    void report(const sim::Results& results);
    [[nodiscard]] sim::Results results_of_no_run(const std::string& reason) const;
    void begin_result_files();
    void write_files(const sim::Results& results, const ResultsPatience& patience);
    void report_kept_results();
    // Names the requested output that could not be written. False if there is none.
    [[nodiscard]] bool report_unwritten();
    [[nodiscard]] bool is_hung() const;
    ExitCode finish(ExitCode code);

    const RunArguments& arguments_;
    const bool as_sqliosim_;
    const sim::Options options_;
    std::string repeat_command_;
    bool is_stopped_ = false;  // by the user
    DrainWatch drain_;
    bool output_is_stuck_ = false;
    std::vector<sim::PreflightLine> preflight_;
    std::optional<reports::StatusBoard> status_board_;
    Console& console_;
    const ums::RealClock clock_;
    const std::uint64_t start_ns_ = clock_.now_ns();
    reports::XmlLog log_;
    const std::unique_ptr<reports::FindingsFile> findings_file_;  // null: not requested
    ResultFiles result_files_;
    std::vector<std::string> unwritten_;  // one sentence for each file
    ExitCodeSink exit_code_sink_;
    BeginSink begin_sink_;
    ConsoleSink console_sink_;
    CompositeSink messages_;  // for messages while a finding is written
    reports::ErrorDump dump_;
    OutputWriter writer_;
    PatientThread patient_;
    ums::PosixStorage storage_;
    RehearsalOnFiles rehearsal_;
    MomentPipe moments_;
    CompositeSink sink_;
    ProgressDisplay display_;
    RunControl control_;
    const std::unique_ptr<sim::PromiseKeeper> keeper_;  // null: not requested
    GroupMember* const group_;                          // null: the run is alone
    sim::Simulation simulation_;
};

}  // namespace cli
