#include "cli/powertest/campaign.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/powertest/drawn_cut.hpp"
#include "cli/powertest/powertest_arguments.hpp"
#include "cli/powertest/state_folder.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/run/moment_pipe.hpp"
#include "cli/run/run_arguments.hpp"
#include "cli/words/switch_words.hpp"
#include "sim/errors.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {
namespace {

constexpr std::string_view kOurProgram = "/proc/self/exe";
constexpr std::string_view kRunSeconds = "2592000";  // 30 days: nobody waits longer with a cut
constexpr std::uint64_t kForeverMs = 31ULL * 24 * 3600 * 1000;
constexpr std::chrono::milliseconds kTick{20};
constexpr std::uint64_t kMomentPatienceMs = 10'000;
// How long a run may take to end with its report once it has found something.
constexpr std::uint64_t kReportPatienceMs = 5000;

const ums::RealClock& campaign_clock() {
    static const ums::RealClock clock;
    return clock;
}

std::uint64_t now_ms() { return campaign_clock().now_ns() / 1'000'000; }

// Why a run or a verification ended. If the disk of its output is full, nothing is there.
std::string reason_in(const std::string& output_path) {
    const std::string line = said_in(output_path);
    return line.empty() ? fmt::format("{} does not say why; is its disk full?", output_path) : line;
}

}  // namespace

bool Campaign::is_at_end() const {
    const reports::CampaignSums sums = sums_of(state_.cycles);
    return state_.is_over || sums.with_findings > 0 || sums.cuts >= state_.plan.cycles;
}

void Campaign::enter(CampaignPhase phase) {
    state_.phase = phase;
    folder_.save(state_);
}

void Campaign::say(const std::string& line) {
    console_.add_message(line);
    console_.flush("");
}

Campaign::Waited Campaign::wait_for(ums::ChildProcess& child, std::uint64_t patience_ms) {
    const std::uint64_t begin_ms = now_ms();
    while (!child.exit_code()) {
        if (now_ms() - begin_ms >= patience_ms) return Waited::timed_out;
        if (stop_.wait(kTick)) return Waited::stopped;
    }
    return Waited::ended;
}

bool Campaign::go_on() {
    take_up();
    bool goes_on = true;
    while (goes_on && !(state_.phase == CampaignPhase::idle && is_at_end())) {
        switch (state_.phase) {
            case CampaignPhase::idle: goes_on = load(); break;
            case CampaignPhase::running: goes_on = cut(); break;
            case CampaignPhase::cutting: goes_on = restore(); break;
            case CampaignPhase::verifying: goes_on = verify(); break;
        }
    }
    return goes_on;
}

void Campaign::take_up() {
    goes_on_behind_cut_ = state_.phase == CampaignPhase::cutting;
    reported_.emplace(findings_path());
    if (goes_on_behind_cut_ && ends_with_found_before(state_.cut_begins_utc_us, state_.was_cut)) return;
    if (state_.phase != CampaignPhase::running) return;
    state_.was_cut = is_guided();
    state_.load_ms = 0;
    reported_->look();
    if (reported_->wrong_data() > 0) return end_with_reported(reported_->count());
    if (!is_guided()) say(fmt::format("cycle {}: was broken off before its cut; what the run left is verified\n", cycle_number()));
    enter(CampaignPhase::verifying);
}

std::vector<std::string> Campaign::words_of_run() const {
    std::vector<std::string> words{"ioproof", "run"};
    if (!state_.begins_anew) words.emplace_back("--resume");
    words.insert(words.end(), state_.plan.run_words.begin(), state_.plan.run_words.end());
    for (const std::string& word : {std::string("-d"), std::string(kRunSeconds), std::string("--no-progress"), std::string("-log"),
                                    folder_.file_of_cycle(cycle_number(), "run.log.xml"), std::string("--findings"), findings_path(),
                                    std::string("--json"), run_json_path()}) {
        words.push_back(word);
    }
    // Files that lost power while they were being created have no signature yet, and would be refused.
    if (state_.begins_anew && state_.makes_files && cycle_number() > 1) words.emplace_back("--overwrite-foreign-files");
    return words;
}

bool Campaign::load() {
    note_volumes();
    const std::uint32_t number = cycle_number();
    std::vector<std::string> words = words_of_run();
    if (!is_guided()) {
        const std::string pipe = folder_.path() + "/moments";
        const std::error_code error = ums::PipeReader::open(pipe, moments_.emplace());
        if (error) throw sim::EnvironmentError(fmt::format("{}: {}", pipe, ums::error_text(error)));
        words.insert(words.end(), {"--moments", pipe});
    }
    std::error_code ignored;  // what an earlier try has left would be refused
    std::filesystem::remove(findings_path(), ignored);
    std::filesystem::remove(run_json_path(), ignored);
    reported_.emplace(findings_path());
    state_.moment.clear();
    state_.has_logged = false;
    state_.run_started_utc_us = campaign_clock().utc_us();
    enter(CampaignPhase::running);
    run_ = std::make_unique<ums::ChildProcess>(ums::ChildStart{.program = std::string(kOurProgram),
                                                               .words = words,
                                                               .folder = state_.plan.folder,
                                                               .output_path = folder_.file_of_cycle(number, "run.txt"),
                                                               .stays_open = &folder_.lock()});
    if (is_guided()) {
        say(
            fmt::format("Cycle {} of {}: the run works on the files now. Cut the power at any moment, but not in the first 10 s.\n"
                        "After the reboot: {}\n",
                        number, state_.plan.cycles, folder_.command()));
    }
    Waited waited = is_guided() ? Waited::timed_out : wait_for_group();
    const std::uint64_t begin_ms = now_ms();
    if (waited == Waited::timed_out) waited = wait_for_run(is_guided() ? kForeverMs : drawn_cut(state_.plan, number).after_ms);
    if (waited == Waited::timed_out && !is_guided()) {
        waited = wait_for_moment();
        state_.has_logged = moments_->has_read(kFlushMoment);
    }
    state_.load_ms = now_ms() - begin_ms;
    if (has_reported()) {
        end_with_reported(reported_->count());
        return true;
    }
    if (waited == Waited::timed_out && !is_guided()) return true;
    if (waited == Waited::ended) {
        run_has_ended(run_->exit_code().value_or(0));
        return true;
    }
    run_->kill();
    wait_for(*run_, state_.plan.timeout_s * 1000);
    state_.was_cut = false;
    enter(CampaignPhase::verifying);
    return false;
}

// Otherwise cuts would be counted that came while the run waited for the others, with nothing to lose.
Campaign::Waited Campaign::wait_for_group() {
    if (!parse_words(run_switches(), state_.plan.run_words).has("group")) return Waited::timed_out;
    const std::string any{kCheckpointMoment, kFlushMoment, kGrowthMoment};
    while (!run_->exit_code() && !has_reported()) {
        if (stop_.signal() != 0) return Waited::stopped;
        if (moments_->wait_for(any, kTick)) return Waited::timed_out;
    }
    return Waited::ended;
}

Campaign::Waited Campaign::wait_for_run(std::uint64_t patience_ms) {
    const std::uint64_t begin_ms = now_ms();
    while (!run_->exit_code() && !has_reported()) {
        if (now_ms() - begin_ms >= patience_ms) return Waited::timed_out;
        if (stop_.wait(kTick)) return Waited::stopped;
    }
    return Waited::ended;
}

// A person at the plug makes requests fail, too.
bool Campaign::has_reported() {
    reported_->look();
    return (is_guided() ? reported_->wrong_data() : reported_->count()) > 0;
}

void Campaign::end_with_reported(std::uint64_t finding_count, bool was_cut) {
    const std::string output = folder_.file_of_cycle(cycle_number(), "run.txt");
    end_cycle({.number = cycle_number(),
               .was_cut = was_cut,
               .moment = was_cut ? state_.moment : std::string(),
               .load_ms = state_.load_ms,
               .outcome = reports::CutOutcome::findings,
               .finding_count = finding_count,
               .said = fmt::format("the run itself found something before {} cut: {}", was_cut ? "the" : "any", output)});
    const std::uint64_t begin_ms = now_ms();
    while (run_ && !run_->exit_code() && now_ms() - begin_ms < kReportPatienceMs) {
        std::this_thread::sleep_for(kTick);
        if (stop_.signal() != 0) static_cast<void>(stop_.take());
    }
    run_.reset();
}

// Waits only briefly, because the moment may never come: files that do not grow have no growth.
Campaign::Waited Campaign::wait_for_moment() {
    moments_->drain();
    const DrawnCut drawn = drawn_cut(state_.plan, cycle_number());
    if (drawn.moment == "any") return Waited::timed_out;
    const std::uint64_t begin_ms = now_ms();
    bool has_come = false;
    while (!has_come && now_ms() - begin_ms < kMomentPatienceMs) {
        if (stop_.signal() != 0) return Waited::stopped;
        if (run_->exit_code()) return Waited::ended;
        has_come = moments_->wait_for(std::string(1, letter_of_moment(drawn.moment)), kTick).has_value();
    }
    if (has_come) {
        state_.moment = drawn.moment;
        std::this_thread::sleep_for(std::chrono::microseconds(drawn.late_us));
    }
    return Waited::timed_out;
}

void Campaign::run_has_ended(int exit_code) {
    const std::string output = folder_.file_of_cycle(cycle_number(), "run.txt");
    if (exit_code == 1) {
        end_cycle({.number = cycle_number(),
                   .was_cut = false,
                   .load_ms = state_.load_ms,
                   .outcome = reports::CutOutcome::findings,
                   .finding_count = 1,
                   .said = fmt::format("the run itself found something before any cut: {}", output)});
        return;
    }
    // Before the next run recreates files that this one has worked on, they are verified; one that continues with them does that itself.
    // A run that was refused (2) has touched nothing.
    const bool has_new_files = state_.begins_anew && !state_.cycles.empty() && exit_code != 2;
    state_.was_cut = false;
    enter(has_new_files ? CampaignPhase::verifying : CampaignPhase::idle);
    std::string text = fmt::format("the run of cycle {} ended by itself with exit code {}, before the power was cut: {}", cycle_number(),
                                   exit_code, reason_in(output));
    if (has_new_files) text += fmt::format("; {} verifies what it has left", folder_.quoted_command());
    if (state_.cycles.empty() && state_.begins_anew) folder_.forget();
    if (exit_code == 2 && state_.cycles.empty()) throw UsageError(text);
    throw sim::EnvironmentError(text);
}

std::string Campaign::run_command_line(const std::string& name, const std::string& command) {
    const std::string output = folder_.file_of_cycle(cycle_number(), name + ".txt");
    ums::ChildProcess shell(
        {.program = "/bin/sh", .words = {"sh", "-c", command}, .folder = state_.plan.folder, .output_path = output, .ends_with_us = false});
    const std::uint64_t begin_ms = now_ms();
    while (!shell.exit_code() && now_ms() - begin_ms < state_.plan.timeout_s * 1000) {
        std::this_thread::sleep_for(kTick);
        // Not even Ctrl-C interrupts it: half a cut is of no use. A signal that nobody takes would end the process ten seconds later.
        if (stop_.signal() != 0) static_cast<void>(stop_.take());
    }
    const auto code = shell.exit_code();
    if (code == 0) return "";
    const std::string what =
        code ? fmt::format("ended with exit code {}", *code) : fmt::format("has not ended after {} s", state_.plan.timeout_s);
    const std::string said = said_in(output);
    return fmt::format("--{} '{}' {}{}{}", name, command, what, said.empty() ? "" : ": ", said);
}

bool Campaign::cut() {
    // Whoever finds this state after powertest was killed cannot know how far the command came.
    state_.was_cut = false;
    state_.cut_begins_utc_us = campaign_clock().utc_us();
    enter(CampaignPhase::cutting);
    ::setenv("IOPROOF_RUN_PID", std::to_string(run_->id()).c_str(), 1);
    const std::uint64_t begun_utc_us = campaign_clock().utc_us();  // saving the state may have taken long
    const std::string failure = run_command_line("cut", state_.plan.cut);
    run_->kill();
    if (ends_with_found_before(begun_utc_us, failure.empty())) return true;
    if (!failure.empty()) {
        throw sim::EnvironmentError(fmt::format("{}; {} continues", failure, folder_.quoted_command()));
    }
    state_.was_cut = true;
    folder_.save(state_);
    return true;
}

bool Campaign::ends_with_found_before(std::uint64_t cut_utc_us, bool was_cut) {
    reported_->look();
    const std::uint64_t found_before = reported_->count_before(cut_utc_us);
    if (found_before > 0) {
        end_with_reported(found_before, was_cut);
    } else if (reported_->wrong_data() > 0) {
        say(fmt::format("cycle {}: the run reported wrong data while --cut was at work, which the cut may explain: {}\n", cycle_number(),
                        findings_path()));
    }
    return found_before > 0;
}

bool Campaign::restore() {
    const std::string failure = state_.plan.restore.empty() ? "" : run_command_line("restore", state_.plan.restore);
    if (!failure.empty() && !goes_on_behind_cut_) {
        throw sim::EnvironmentError(fmt::format("{}; {} continues", failure, folder_.quoted_command()));
    }
    if (!failure.empty()) say(fmt::format("{}; it may have been done before: continuing\n", failure));
    goes_on_behind_cut_ = false;
    if (run_ && wait_for(*run_, state_.plan.timeout_s * 1000) == Waited::timed_out) {
        throw sim::EnvironmentError(
            fmt::format("the run has not ended {} s after the cut: its storage still holds it", state_.plan.timeout_s));
    }
    run_.reset();
    if (!wait_for_folders()) return false;
    enter(CampaignPhase::verifying);
    return true;
}

bool Campaign::wait_for_folders() {
    const std::uint64_t begin_ms = now_ms();
    for (;;) {
        const std::string missing = missing_folder();
        if (missing.empty()) return true;
        if (stop_.signal() != 0) return false;
        if (now_ms() - begin_ms >= state_.plan.timeout_s * 1000) {
            throw sim::EnvironmentError(fmt::format("{}: has not come back {} s after the restore; {} continues", missing,
                                                    state_.plan.timeout_s, folder_.quoted_command()));
        }
        std::this_thread::sleep_for(kTick);
    }
}

bool Campaign::verify() {
    refuse_missing_volume();
    const std::uint32_t number = cycle_number();
    std::vector<std::string> words{"ioproof", "verify"};
    for (const std::string& word : words_for_verify(state_.plan.run_words)) words.push_back(word);
    for (const std::string& word : {std::string("--no-progress"), std::string("-log"), folder_.file_of_cycle(number, "verify.log.xml"),
                                    std::string("--json"), folder_.file_of_cycle(number, "verify.json")}) {
        words.push_back(word);
    }
    std::error_code ignored;  // the result of an earlier try must not count for this one
    std::filesystem::remove(folder_.file_of_cycle(number, "verify.json"), ignored);
    const std::uint64_t begin_ms = now_ms();
    ums::ChildProcess child({.program = std::string(kOurProgram),
                             .words = words,
                             .folder = state_.plan.folder,
                             .output_path = folder_.file_of_cycle(number, "verify.txt"),
                             .stays_open = &folder_.lock()});
    if (wait_for(child, kForeverMs) == Waited::stopped) return false;
    note(child.exit_code().value_or(0), now_ms() - begin_ms);
    return true;
}

void Campaign::note(int verify_exit_code, std::uint64_t verify_ms) {
    const std::string json_path = folder_.file_of_cycle(cycle_number(), "verify.json");
    const std::string said = reason_in(folder_.file_of_cycle(cycle_number(), "verify.txt"));
    const std::optional<reports::CutOutcome> outcome = verified_outcome(verify_exit_code, json_path);
    // Otherwise the next run would recreate files that hold the evidence, as soon as whatever was missing is back.
    if (!outcome) {
        throw sim::EnvironmentError(fmt::format("the verification of cycle {} ended with exit code {}: {}; {} repeats it", cycle_number(),
                                                verify_exit_code, said.substr(0, said.find_last_not_of('.') + 1),
                                                folder_.quoted_command()));
    }
    if (*outcome == reports::CutOutcome::nothing) refuse_vanished_files(said);
    reports::PowerCycle cycle = verified_cycle(json_path, state_.run_started_utc_us);
    cycle.number = cycle_number();
    cycle.was_cut = state_.was_cut;
    cycle.moment = state_.moment;
    if (state_.load_ms > 0) cycle.load_ms = state_.load_ms;
    cycle.outcome = *outcome;
    cycle.verify_ms = verify_ms;
    if (cycle.said.empty()) cycle.said = said;
    const std::string exchanged = *outcome == reports::CutOutcome::intact ? exchanged_files_text() : std::string();
    if (!exchanged.empty()) {
        cycle.outcome = reports::CutOutcome::findings;
        cycle.finding_count = 1;
        cycle.said = exchanged;
    }
    state_.begins_anew = cycle.outcome == reports::CutOutcome::nothing;
    state_.load_ms = 0;
    end_cycle(std::move(cycle));
}

// A finding is the verdict and the end of the campaign, whether the disk of its state takes it or not.
void Campaign::end_cycle(reports::PowerCycle cycle) {
    state_.cycles.push_back(std::move(cycle));
    const reports::PowerCycle& ended = state_.cycles.back();
    say(cycle_text(ended));
    try {
        enter(CampaignPhase::idle);
    } catch (const sim::EnvironmentError& failed) {
        if (ended.outcome != reports::CutOutcome::findings) throw;
        say(fmt::format("ioproof: {}\n", failed.what()));
    }
}

}  // namespace cli
