#include "cli/run_command.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <source_location>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/composite_sink.hpp"
#include "cli/configuration.hpp"
#include "cli/console_sink.hpp"
#include "cli/exit_at_once.hpp"
#include "cli/preflight_command.hpp"
#include "cli/progress_display.hpp"
#include "cli/rehearsal_on_files.hpp"
#include "cli/result_files.hpp"
#include "cli/run_control.hpp"
#include "cli/start_text.hpp"
#include "cli/status_server.hpp"
#include "config/config.hpp"
#include "reports/error_dump.hpp"
#include "reports/file_summary.hpp"
#include "reports/findings_file.hpp"
#include "reports/log_events.hpp"
#include "reports/preflight_report.hpp"
#include "reports/status.hpp"
#include "reports/text_report.hpp"
#include "reports/xml_log.hpp"
#include "sim/run/sizing.hpp"
#include "sim/simulation.hpp"
#include "sim/version.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/thread_id.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {
namespace {

std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
}

ums::EngineKind kind_of(sim::EngineChoice choice) {
    switch (choice) {
        case sim::EngineChoice::uring: return ums::EngineKind::uring;
        case sim::EngineChoice::threads: return ums::EngineKind::threads;
        case sim::EngineChoice::automatic: break;
    }
    return ums::EngineKind::automatic;
}

// The engine that this choice gives here: made once to see, and let go.
void find_engine(ums::Storage& storage, sim::EngineChoice choice, StartFacts& facts) {
    try {
        facts.engine = storage.make_engine({.kind = kind_of(choice)}, facts.engine_reason)->name();
    } catch (const std::system_error& error) {
        throw sim::EnvironmentError(error.what());
    }
}

// A finding decides about the exit code even if the run is ended by force.
class ExitCodeSink final : public sim::EventSink {
public:
    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const sim::Finding& finding) override {
        if (!finding.is_warning) set_exit_at_once_code(ExitCode::integrity);
    }
};

std::string stop_text(int signal) {
    const char* name = signal == SIGINT ? "Ctrl-C" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
    return fmt::format("{}: draining I/O, then the summary; again to end at once", name);
}

// Everything that lives as long as a run. The members are made in this order: the log before anything else is touched.
class Run {
public:
    Run(sim::Options options, const Arguments& arguments, Console& console)
        : arguments_(arguments),
          options_(std::move(options)),
          console_(console),
          log_(options_.error_file),
          findings_file_(arguments.run.findings_path.empty() ? nullptr
                                                             : std::make_unique<reports::FindingsFile>(arguments.run.findings_path)),
          result_files_(arguments.run.json_path, arguments.run.html_path),
          console_sink_(console, [this] { control_.wake(); },
                        {.sqliosim_form = arguments.called_as_sqliosim, .errors_only = arguments.run.quiet}),
          messages_({&log_, &console_sink_}),
          dump_(options_.error_file, std::string(sim::kVersion), messages_),
          rehearsal_(storage_, clock_, options_, arguments.run.injections),
          sink_(receivers()),
          display_(console, !arguments.run.quiet && !arguments.run.no_progress && !arguments.called_as_sqliosim, start_ns_ / ums::kNsPerUs),
          control_({.on_stop_signal = [this](int signal) { stop(signal); },
                    .on_wake = [this] { console_.flush(display_.line()); },
                    .on_second = [this] { show_progress(); }}),
          simulation_(options_, rehearsal_.storage(), clock_, sink_) {
        rehearsal_.follow(simulation_);
    }
    ~Run() { rehearsal_.unfollow(); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // Into the log, and onto the console.
    void tell(sim::Severity severity, const std::string& text, std::source_location where = std::source_location::current()) {
        sink_.on_event(event_of(severity, text, where));
    }
    // Into the log only.
    void note(const std::string& text, std::source_location where = std::source_location::current()) {
        log_.on_event(event_of(sim::Severity::info, text, where));
    }

    void announce(const StartFacts& facts) {
        std::vector<StartLine> lines = start_lines(options_, facts);
        for (const StartLine& line : lines) {
            tell_or_note(sim::Severity::info, line.name.empty() ? line.text : fmt::format("{}: {}", line.name, line.text));
        }
        look_at_folders();
        for (StartLine& line : preflight_start_lines(preflight_)) lines.push_back(std::move(line));
        if (!arguments_.called_as_sqliosim && !arguments_.run.quiet) console_.add_result(start_text(sim::kVersion, lines) + "\n");
        if (rehearsal_.is_wanted()) tell(sim::Severity::warning, reports::rehearsal_notice(rehearsal_.faults_text()));
        console_.flush("");
    }

    // What is known about the run besides its results; `repeat_command` repeats it.
    void set_repeat_command(std::string repeat_command) { repeat_command_ = std::move(repeat_command); }

    ExitCode execute() {
        sim::Results results;
        try {
            control_.run([&] { results = simulation_.run(); });
            results.preflight = preflight_;
        } catch (const std::exception& error) {
            log_.on_event(event_of(sim::Severity::error, error.what(), std::source_location::current()));
            report_as_not_begun(error.what());
            if (simulation_.progress().findings == 0) throw;
            console_.add_message(fmt::format("ioproof: {}\n", error.what()));
            return ExitCode::integrity;
        }
        results.rehearsal = rehearsal_.faults_text();
        const ExitCode code = exit_code_of(results);
        // A reader that does not take the report may be left with Ctrl-C; the result stands.
        set_exit_at_once_code(code);
        exit_at_once_on_signals(console_.redraws());
        report(results);
        return write_files(results) || code != ExitCode::ok ? code : ExitCode::environment;
    }

    // For the live view; on its thread only.
    StatusTexts status_texts(const std::string& engine) {
        if (!status_board_) {
            status_board_.emplace(reports::StatusHead{
                .version = std::string(sim::kVersion), .seed = options_.seed, .engine = engine, .start_utc_us = clock_.utc_us()});
        }
        status_board_->update(simulation_.progress(), (clock_.now_ns() - start_ns_) / ums::kNsPerUs);
        return {reports::status_page(), reports::status_json(*status_board_), reports::status_metrics(*status_board_)};
    }

private:
    // SQLIOSim has no block of text at its start: people see the events.
    void tell_or_note(sim::Severity severity, const std::string& text, std::source_location where = std::source_location::current()) {
        if (arguments_.called_as_sqliosim) {
            tell(severity, text, where);
        } else {
            log_.on_event(event_of(severity, text, where));
        }
    }

    // What does not speak for this storage stands in the log, but is no error: readers of the log take those for a failed run.
    void look_at_folders() {
        preflight_ = preflight_of_run(options_, clock_);
        if (preflight_.empty()) return;
        tell_or_note(sim::Severity::info, fmt::format("preflight: {}", reports::preflight_sum(preflight_)));
        for (const sim::PreflightLine& line : preflight_) {
            if (line.grade == sim::PreflightGrade::ok) continue;
            tell_or_note(line.grade == sim::PreflightGrade::fail ? sim::Severity::warning : sim::Severity::info,
                         reports::preflight_sentence(line));
        }
    }

    sim::Event event_of(sim::Severity severity, const std::string& text, const std::source_location& where) const {
        sim::Event event;
        event.severity = severity;
        event.utc_us = clock_.utc_us();
        event.tick_ms = (clock_.now_ns() - start_ns_) / ums::kNsPerMs;
        event.thread_id = ums::this_thread_id();
        event.user = "Monitor";
        const std::string_view file(where.file_name());
        event.source_file = file.substr(file.find_last_of('/') + 1);
        event.line = where.line();
        event.function = where.function_name();
        event.description = text;
        return event;
    }

    // The evidence first: the others name its file.
    std::vector<sim::EventSink*> receivers() {
        std::vector<sim::EventSink*> receivers{&dump_, &log_, &console_sink_, &exit_code_sink_, &rehearsal_};
        if (findings_file_) receivers.insert(receivers.begin() + 1, findings_file_.get());
        return receivers;
    }

    void stop(int signal) {
        exit_at_once_on_signals(console_.redraws());
        // People who pressed a key want an answer also where they asked for quiet.
        if (arguments_.run.quiet) console_.add_message(stop_text(signal) + "\n");
        tell(sim::Severity::warning, stop_text(signal));
        simulation_.request_stop();
        console_.flush(display_.line());
    }

    void show_progress() {
        const sim::Progress progress = simulation_.progress();
        display_.update(progress, clock_.now_ns() / ums::kNsPerUs);
        console_.flush(display_.line());
        if (progress.lost_requests > 0 && ++seconds_with_lost_requests_ == kDrainSecondsMax) give_up();
    }

    // Requests that never come back keep the run from draining, and nobody can call them off.
    [[noreturn]] void give_up() {
        tell(sim::Severity::error,
             "An I/O request never came back, so the run cannot be drained and ends here. The storage failed: see the "
             "findings.");
        console_.add_result("\nFAILED: an I/O request never came back. The process ends without a summary.\n");
        console_.flush("");
        std::_Exit(static_cast<int>(ExitCode::integrity));
    }

    void report(const sim::Results& results) {
        for (const sim::Event& event : reports::summary_events(results)) log_.on_event(event);
        if (const auto failure = log_.failure()) console_.add_message(fmt::format("warning: {}\n", *failure));
        if (findings_file_) {
            if (const auto failure = findings_file_->failure()) console_.add_message(fmt::format("warning: {}\n", *failure));
        }
        if (rehearsal_.is_wanted()) console_.add_result("\n" + rehearsal_.comparison_text());
        console_.add_result(arguments_.called_as_sqliosim ? sqliosim_report(results) : "\n" + reports::text_report(results));
    }

    // A script that waits for a result, and a person who opens it, are told why there is none.
    void report_as_not_begun(const char* reason) {
        sim::Results results;
        results.version = sim::kVersion;
        results.seed = options_.seed;
        results.buffer_pool_bytes = std::uint64_t{options_.max_memory_mb} << 20;
        results.start_utc_us = clock_.utc_us();
        results.cpu_count = options_.cpu_count;
        results.finding_count = simulation_.progress().findings;
        results.outcome = results.finding_count > 0 ? sim::Outcome::failed : sim::Outcome::not_done;
        results.outcome_reason = reason;
        results.preflight = preflight_;
        results.rehearsal = rehearsal_.faults_text();
        if (!arguments_.called_as_sqliosim) console_.add_result(reports::outcome_text(results));
        write_files(results);
    }

    // False if something could not be written.
    bool write_files(const sim::Results& results) {
        const std::vector<std::string> failures = result_files_.write(results, options_, repeat_command_);
        for (const std::string& failure : failures) console_.add_message(fmt::format("warning: {}\n", failure));
        return failures.empty();
    }

    // The lines that SQLIOSIM.COM ends with, to the letter, and ours that says what they mean.
    static std::string sqliosim_report(const sim::Results& results) {
        std::string text;
        for (const sim::FileResult& file : results.files) text += fmt::format("{}\n", fmt::join(reports::file_summary(file), "\n"));
        return text + "Stress Test Attempt Complete\n" + reports::outcome_text(results);
    }

    static constexpr int kDrainSecondsMax = 10;

    const Arguments& arguments_;
    const sim::Options options_;
    int seconds_with_lost_requests_ = 0;
    std::vector<sim::PreflightLine> preflight_;
    std::optional<reports::StatusBoard> status_board_;
    Console& console_;
    const ums::RealClock clock_;
    const std::uint64_t start_ns_ = clock_.now_ns();
    reports::XmlLog log_;
    const std::unique_ptr<reports::FindingsFile> findings_file_;  // null: not asked for
    ResultFiles result_files_;
    std::string repeat_command_;
    ExitCodeSink exit_code_sink_;
    ConsoleSink console_sink_;
    CompositeSink messages_;  // for what is said while a finding is being handed on
    reports::ErrorDump dump_;
    ums::PosixStorage storage_;
    RehearsalOnFiles rehearsal_;
    CompositeSink sink_;
    ProgressDisplay display_;
    RunControl control_;
    sim::Simulation simulation_;
};

// Serves the live view, if one was asked for, as long as the run can be asked.
class LiveView {
public:
    LiveView(StatusServer* server, std::function<StatusTexts()> make_texts) : server_(server) {
        if (server_ != nullptr) server_->start(std::move(make_texts));
    }
    ~LiveView() {
        if (server_ != nullptr) server_->stop();
    }
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;

private:
    StatusServer* const server_;
};

// As with SQLIOSim, -save makes the first configuration file to start from. There is nothing to run yet, so this is no success either.
[[noreturn]] void save_what_there_is(const config::Configuration& configuration, const std::string& path) {
    config::save(configuration.options, path);
    throw config::ConfigError(
        fmt::format("{}\n{} has been written with every parameter and can be completed", fmt::join(configuration.lacks, "\n"), path));
}

}  // namespace

ExitCode run_command(const std::vector<std::string>& command_line, const Arguments& arguments, Console& console) {
    const ums::Machine machine = ums::this_machine();
    const config::Configuration configuration = effective_configuration(arguments.run, machine);

    if (!configuration.lacks.empty()) save_what_there_is(configuration, arguments.run.save_path);

    sim::Options options = configuration.options;
    if (!arguments.run.seed) options.seed = random_seed();
    options.cpu_count = sim::cpu_count_for(options, machine);
    options.max_memory_mb = sim::pool_mb_for(options, machine);

    StartFacts facts{.cpu_count = options.cpu_count,
                     .pool_mb = options.max_memory_mb,
                     .config_path = configuration_file(arguments.run).value_or(""),
                     .log_path = options.error_file,
                     .findings_path = arguments.run.findings_path,
                     .repeat_command = repeat_command(command_line, options.seed)};
    ums::PosixStorage storage;
    find_engine(storage, options.engine, facts);
    std::optional<StatusServer> server;
    if (arguments.run.status) server.emplace(*arguments.run.status);
    if (server) facts.status_url = server->url();

    Run run(options, arguments, console);
    if (!arguments.run.save_path.empty()) config::save(configuration.options, arguments.run.save_path);
    run.set_repeat_command(facts.repeat_command);
    run.announce(facts);
    for (const std::string& warning : configuration.warnings) run.tell(sim::Severity::warning, warning);
    const LiveView view(server ? &*server : nullptr, [&] { return run.status_texts(facts.engine); });
    return run.execute();
}

ExitCode exit_code_of(const sim::Results& results) {
    switch (results.outcome) {
        case sim::Outcome::passed: return ExitCode::ok;
        case sim::Outcome::stopped: return results.finding_count > 0 ? ExitCode::integrity : ExitCode::stopped;
        case sim::Outcome::failed: return ExitCode::integrity;
        case sim::Outcome::not_done: break;
    }
    // A page that was wrong or lost before the storage went outranks the rest.
    return results.finding_count > 0 ? ExitCode::integrity : ExitCode::environment;
}

}  // namespace cli
