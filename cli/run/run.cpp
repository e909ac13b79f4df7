#include "cli/run/run.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/promises/batch_keeper.hpp"
#include "cli/promises/promise_store.hpp"
#include "cli/promises/witness_sink.hpp"
#include "cli/run/preflight_command.hpp"
#include "reports/file_summary.hpp"
#include "reports/log_events.hpp"
#include "reports/preflight_report.hpp"
#include "reports/text_report.hpp"
#include "reports/thresholds.hpp"
#include "sim/errors.hpp"
#include "sim/version.hpp"
#include "ums/base/os_thread.hpp"
#include "ums/base/output_place.hpp"
#include "ums/base/printable.hpp"
#include "ums/base/unfinished_file.hpp"
#include "ums/io/kernel_version.hpp"

namespace cli {
namespace {

using namespace std::chrono_literals;

// Enough for a disk to write the rest of the log.
constexpr std::chrono::milliseconds kOutputTimeout = 10s;
// For the results of a run that somebody has stopped, and that cannot be drained.
constexpr ResultsPatience kUrgentResults{kOutputTimeout, "--json, --html: the disk has not answered for 10 s; the results are incomplete."};

std::string stop_text(int signal) {
    const char* name = signal == SIGINT ? "Ctrl-C" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
    return fmt::format("{}: draining I/O, then the summary; again to end immediately", name);
}

// SQLIOSIM.COM's last lines, to the letter, and our line that says what they mean.
std::string sqliosim_report(const sim::Results& results) {
    std::string text;
    for (const sim::FileResult& file : results.files) text += fmt::format("{}\n", fmt::join(reports::file_summary(file), "\n"));
    return text + "Stress Test Attempt Complete\n" + reports::outcome_text(results);
}

}  // namespace

ExitCode exit_code_of(const sim::Results& results) {
    // Whatever ended the run, earlier findings outrank it, and so does a limit that was exceeded.
    const bool is_exceeded = std::any_of(results.thresholds.begin(), results.thresholds.end(),
                                         [](const sim::ThresholdResult& threshold) { return threshold.is_exceeded; });
    if (results.finding_count > 0 || is_exceeded) return ExitCode::integrity;
    switch (results.outcome) {
        case sim::Outcome::passed: return ExitCode::ok;
        case sim::Outcome::stopped: return ExitCode::stopped;
        case sim::Outcome::failed: return ExitCode::integrity;
        case sim::Outcome::not_done: break;
    }
    return results.is_internal_error ? ExitCode::internal_error : ExitCode::environment;
}

namespace {

// A restart of the witness must not end a run of a group, because the others wait for that run. A reader simply continues with its next
// pass.
std::chrono::milliseconds patience_of(const GroupMember* group) {
    const bool is_patient = group != nullptr && !group->settings().only_reads();
    return std::chrono::milliseconds(is_patient ? group->settings().terms.lease_ms : 0);
}

std::unique_ptr<sim::PromiseKeeper> keeper_of(sim::Job job, const RunArguments& arguments, const GroupMember* group) {
    std::unique_ptr<PromiseSink> sink;
    if (arguments.witness) {
        sink = std::make_unique<WitnessSink>(*arguments.witness, arguments.witness_keys);
    } else if (!arguments.ledger_path.empty()) {
        const auto use = job == sim::Job::verify ? PromiseStore::Use::read : PromiseStore::Use::write;
        sink = std::make_unique<LedgerSink>(arguments.ledger_path, use);
    }
    return sink ? std::make_unique<BatchKeeper>(std::move(sink), patience_of(group)) : nullptr;
}

}  // namespace

// The members are initialized in the order of the header: the log before anything else is touched.
Run::Run(sim::Options options, const RunArguments& arguments, bool as_sqliosim, Console& console, const GracefulStop& graceful_stop,
         GroupMember* group)
    : arguments_(arguments),
      as_sqliosim_(as_sqliosim),
      options_(std::move(options)),
      console_(console),
      log_(options_.error_file),
      findings_file_(arguments.findings_path.empty() ? nullptr : std::make_unique<reports::FindingsFile>(arguments.findings_path)),
      result_files_(arguments.json_path, arguments.html_path, options_, repeat_command_),
      begin_sink_([this] { control_.wake(); }),
      console_sink_(console, [this] { control_.wake(); }, {.sqliosim_form = as_sqliosim, .errors_only = arguments.quiet}),
      messages_({&log_, &console_sink_}),
      dump_(options_.error_file, std::string(sim::kVersion), messages_),
      writer_(log_, findings_file_.get(), dump_),
      rehearsal_(storage_, clock_, options_, arguments.injections),
      moments_(arguments.moments_path),
      sink_(receivers()),
      display_(console, !arguments.quiet && !arguments.no_progress && !as_sqliosim, start_ns_ / ums::kNsPerUs),
      control_(graceful_stop, {.on_stop_signal = [this](int signal) { stop(signal); },
                               .on_wake = [this] { wake(); },
                               .on_second = [this] { show_progress(); }}),
      keeper_(keeper_of(options_.job, arguments, group)),
      group_(group),
      simulation_(options_, rehearsal_.storage(), clock_, sink_, keeper_.get(), group) {
    rehearsal_.follow(simulation_);
    if (group_ != nullptr) group_->on_freeze([this] { simulation_.release_locks(); });
}

Run::~Run() {
    if (group_ != nullptr) group_->on_freeze({});
    rehearsal_.unfollow();
}

// Receivers that never wait come first.
std::vector<sim::EventSink*> Run::receivers() { return {&exit_code_sink_, &begin_sink_, &console_sink_, &rehearsal_, &writer_, &moments_}; }

void Run::emit(sim::Severity severity, const std::string& text, std::source_location where) {
    sink_.on_event(event_of(severity, text, where));
}

// SQLIOSim prints no start text, so its users see the events instead.
void Run::emit_or_log(sim::Severity severity, const std::string& text, std::source_location where) {
    const sim::Event event = event_of(severity, text, where);
    if (as_sqliosim_) {
        sink_.on_event(event);
    } else {
        writer_.on_event(event);
    }
}

void Run::announce(const StartFacts& facts) {
    repeat_command_ = facts.repeat_command;
    std::vector<StartLine> lines = start_lines(options_, facts);
    for (const StartLine& line : lines) {
        emit_or_log(sim::Severity::info, line.name.empty() ? line.text : fmt::format("{}: {}", line.name, line.text));
    }
    std::vector<reports::DumpFact> of_run{{"system", ums::system_text()}, {"access", access_text(options_)}};
    for (const StartLine& line : lines) of_run.push_back({line.name, line.text});
    dump_.describe_run(std::move(of_run));
    run_preflight();
    warn_of_near_ledger();
    for (StartLine& line : preflight_start_lines(preflight_)) lines.push_back(std::move(line));
    if (!as_sqliosim_ && !arguments_.quiet) console_.add_result(start_text(sim::kVersion, lines) + "\n");
    if (rehearsal_.is_enabled()) emit(sim::Severity::warning, reports::rehearsal_notice(rehearsal_.faults_text()));
    console_.flush("");
}

void Run::warn_of_near_ledger() {
    if (arguments_.ledger_path.empty() || options_.job == sim::Job::verify) return;
    for (const sim::FileOptions& file : options_.files) {
        if (!ums::are_on_one_file_system(arguments_.ledger_path, file.path)) continue;
        emit(
            sim::Severity::warning,
            fmt::format("The ledger {} is on the file system of {}: what destroys one can destroy the other, too. Keep it on another disk.",
                        arguments_.ledger_path, file.path));
        return;
    }
}

// Warns only in the log, and never logs an error, because readers of the log take errors for a failed run.
void Run::run_preflight() {
    if (is_about_left_files(options_.job)) return;
    preflight_ = preflight_of_run(options_, clock_);
    if (preflight_.empty()) return;
    emit_or_log(sim::Severity::info, fmt::format("preflight: {}", reports::preflight_summary(preflight_)));
    for (const sim::PreflightLine& line : preflight_) {
        if (line.grade == sim::PreflightGrade::ok) continue;
        emit_or_log(line.grade == sim::PreflightGrade::fail ? sim::Severity::warning : sim::Severity::info,
                    reports::preflight_sentence(line));
    }
}

sim::Event Run::event_of(sim::Severity severity, const std::string& text, const std::source_location& where) const {
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

StatusTexts Run::status_texts(const std::string& engine) {
    if (!status_board_) {
        status_board_.emplace(reports::StatusHead{.version = std::string(sim::kVersion),
                                                  .seed = options_.seed,
                                                  .engine = engine,
                                                  .start_utc_us = clock_.utc_us(),
                                                  .rehearsal = rehearsal_.faults_text()});
    }
    if (group_ != nullptr) status_board_->set_group(group_->result());
    status_board_->update(simulation_.progress(), (clock_.now_ns() - start_ns_) / ums::kNsPerUs);
    return {reports::status_page(), reports::status_json(*status_board_), reports::status_metrics(*status_board_)};
}

// --- While it runs ------------------------------------------------------------------------------------------------------------------

void Run::stop(int signal) {
    erase_line_at_exit(console_.redraws());
    // A user who pressed a key wants an answer, even with --quiet.
    if (arguments_.quiet) console_.add_message(stop_text(signal) + "\n");
    simulation_.request_stop();
    is_stopped_ = true;
    emit(sim::Severity::warning, stop_text(signal));
    flush_console();
}

void Run::show_progress() {
    simulation_.look_at_calls();
    const sim::Progress progress = simulation_.progress();
    display_.update(progress, clock_.now_ns() / ums::kNsPerUs);
    watch_output();
    flush_console();
    watch_drain(progress);
}

// The log cannot report that it cannot be written, so the console does.
void Run::watch_output() {
    const bool is_stuck = writer_.stuck() >= kOutputTimeout;
    if (is_stuck == output_is_stuck_) return;
    output_is_stuck_ = is_stuck;
    const char* const text =
        is_stuck ? "the disk of the log does not answer: for 10 s messages and findings have not been written. The run continues"
                 : "the disk of the log answers again";
    console_sink_.on_event(event_of(sim::Severity::warning, text, std::source_location::current()));
}

void Run::watch_drain(const sim::Progress& progress) {
    if (drain_.has_lost_requests(progress)) {
        give_up(ExitCode::integrity, "FAILED: an I/O request never came back. The process ends without a summary.",
                "An I/O request never came back, so the run cannot be drained and ends here. The storage failed: see the findings.");
    }
    if (const sim::Progress::Call* const call = drain_.hung_call(progress)) give_up_on(*call);
    // A user who stops a run must not wait for two minutes because its disk has stopped answering; nor must anyone wait after a task has
    // failed and left others waiting.
    if (!drain_.has_stalled(progress, is_stopped_ || progress.is_internal_error || progress.lost_requests > 0)) return;
    if (progress.is_internal_error) {
        give_up(progress.findings > 0 ? ExitCode::integrity : ExitCode::internal_error,
                "An internal error of ioproof ended the run. The process ends without a summary.",
                "A task has failed, and others wait for it, so the run cannot be drained and ends here.");
    }
    give_up(progress.findings > 0 ? ExitCode::integrity : ExitCode::stopped,
            "The run was stopped, and what it waits for does not come back. The process ends without a summary.",
            "The run was stopped, and what it waits for does not come back, so it cannot be drained and ends here.");
}

// A request that never comes back keeps the run from draining, and cannot be canceled. Nobody may be there to see how it ends: whoever
// started it looks at its results and its exit code. Readers of the log take errors for a failed run: one that was stopped, and that had
// found nothing, has not failed.
void Run::give_up(ExitCode code, const std::string& result, const std::string& message) {
    emit(code == ExitCode::stopped ? sim::Severity::warning : sim::Severity::error, message);
    static_cast<void>(writer_.flush(1s));
    set_immediate_exit_code(code);
    exit_immediately_on_signals();
    console_.add_result(fmt::format("\n{}\n", result));
    console_.flush("");  // writing the files may take long
    write_files(results_of_no_run(message), is_stopped_ ? kUrgentResults : result_files_.patience());
    static_cast<void>(report_unwritten());
    console_.flush("");
    static_cast<void>(patient_.call([] { ums::remove_unfinished_files(); }, 1s));
    std::_Exit(to_int(code));
}

void Run::give_up_on(const sim::Progress::Call& call) {
    const std::string reason = fmt::format("The {} of {} has not returned for {} minutes, and the run waits for nothing else.", call.name,
                                           call.path, call.duration_us / 60'000'000);
    give_up(simulation_.progress().findings > 0 ? ExitCode::integrity : ExitCode::environment,
            ums::printable(reason) + " The process ends without a summary.", reason + " It cannot be drained and ends here.");
}

// --- Its end ------------------------------------------------------------------------------------------------------------------------

ExitCode Run::execute() {
    sim::Results results;
    try {
        control_.run([&] { results = simulation_.run(); });
    } catch (const std::exception& error) {
        const std::string reason = failure_text(error);
        if (group_ != nullptr) group_->confirm_turn();
        writer_.on_event(event_of(sim::Severity::error, reason, std::source_location::current()));
        sim::Results none = results_of_no_run(reason);
        const bool has_no_files = dynamic_cast<const sim::NoFilesError*>(&error) != nullptr;
        if (has_no_files) none.nothing_to_verify = sim::NothingToVerify::no_files;
        if (!as_sqliosim_) console_.add_result(reports::outcome_text(none));
        static_cast<void>(writer_.flush(kOutputTimeout));
        write_files(none, result_files_.patience());
        if (none.finding_count > 0 || is_hung()) console_.add_message(fmt::format("ioproof: {}\n", ums::printable(reason)));
        const ExitCode code = finish(exit_code_of(none));
        if (none.finding_count > 0) return code;
        throw;  // the caller reports it, with its own exit code
    }
    return end(std::move(results));
}

ExitCode Run::end(sim::Results results) {
    results.preflight = preflight_;
    results.rehearsal = rehearsal_.faults_text();
    if (group_ != nullptr) {
        group_->confirm_turn();
        group_->complete(results);
    }
    for (const reports::Threshold& limit : arguments_.limits) results.thresholds.push_back(reports::evaluate_threshold(limit, results));
    const ExitCode code = exit_code_of(results);
    // The result is final: Ctrl-C may end the process if the reader of the report has stalled.
    set_immediate_exit_code(code);
    erase_line_at_exit(console_.redraws());
    exit_immediately_on_signals();
    for (const sim::Event& event : reports::summary_events(results)) writer_.on_event(event);
    static_cast<void>(writer_.flush(kOutputTimeout));
    writer_.complete(results.findings);
    writer_.complete(results.warnings);
    report(results);
    console_.flush("");  // writing the files may take long
    write_files(results, result_files_.patience());
    return finish(code);
}

void Run::report(const sim::Results& results) {
    if (rehearsal_.is_enabled()) console_.add_result("\n" + rehearsal_.comparison_text());
    console_.add_result(as_sqliosim_ ? sqliosim_report(results) : "\n" + reports::text_report(results));
}

void Run::report_kept_results() {
    std::vector<std::string> kept = result_files_.earlier();
    if (writer_.stuck() == 0ms && log_.is_waiting()) kept.insert(kept.begin(), options_.error_file);
    if (kept.empty()) return;
    const std::string text = fmt::format("files of an earlier run, left as they were: {}", fmt::join(kept, ", "));
    console_.add_message(fmt::format("{}\n", ums::printable(text)));
}

// A script or a user who looks at the results learns why there are none.
sim::Results Run::results_of_no_run(const std::string& reason) const {
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
    if (group_ != nullptr) results.group = group_->result();  // a merged report counts this rank or turn as one that proved nothing
    return results;
}

// Whoever looks after kill -9 or a power cut must not take the results of an earlier run for those of this one.
void Run::begin_result_files() {
    if (!begin_sink_.has_begun()) return;
    sim::Results none = results_of_no_run(
        "The test is still running, or was ended by force (kill -9, a power cut) or without a summary, or its results could not be "
        "written (a full disk).");
    none.is_unfinished = true;
    none.run_id = simulation_.progress().run_id;
    simulation_.expect_looks(false);
    result_files_.begin(none);
    simulation_.expect_looks(true);
}

// A run that did not begin and found nothing must not replace the results of an earlier one.
void Run::write_files(const sim::Results& results, const ResultsPatience& patience) {
    const bool keeps_previous = !simulation_.progress().may_begin && results.finding_count == 0;
    if (keeps_previous) report_kept_results();
    for (std::string& failure : result_files_.write(results, keeps_previous, patience)) unwritten_.push_back(std::move(failure));
}

bool Run::is_hung() const { return result_files_.is_stuck() || writer_.stuck() > 0ms; }

bool Run::report_unwritten() {
    for (std::string& failure : writer_.failures()) unwritten_.push_back(std::move(failure));
    for (const std::string& failure : unwritten_) console_.add_message(fmt::format("warning: {}\n", ums::printable(failure)));
    return !std::exchange(unwritten_, {}).empty();
}

// A thread that waits for a disk that does not answer cannot be canceled, so the process ends without it.
ExitCode Run::finish(ExitCode code) {
    if (report_unwritten() && code == ExitCode::ok) code = ExitCode::environment;
    if (!is_hung()) return code;
    console_.finish();
    std::_Exit(to_int(code));
}

}  // namespace cli
