#include <cstdlib>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "cli/group/group_member.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/stop_signals.hpp"
#include "cli/run/configuration.hpp"
#include "cli/run/run_command.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/output_place.hpp"
#include "ums/base/printable.hpp"
#include "ums/base/process_pause.hpp"

namespace cli {
namespace {

// A turn that is to end by loss lasts this much longer, to leave time for taking the host away.
constexpr std::uint64_t kLossPatienceS = 3600;

ExitCode worse(ExitCode a, ExitCode b) {
    const auto rank = [](ExitCode code) {
        switch (code) {
            case ExitCode::ok: return 0;
            case ExitCode::stopped: return 1;
            case ExitCode::environment: return 2;
            case ExitCode::integrity: return 4;
            default: return 3;
        }
    };
    return rank(a) >= rank(b) ? a : b;
}

// "r.json" of turn 2: "r.turn-2.json".
std::string of_turn(const std::string& path, std::uint32_t turn) {
    if (path.empty()) return path;
    // All turns go to the same pipe or device, or to the standard output: a name beside it would become a file in /dev.
    ums::OutputStatus status;
    const bool exists = !ums::read_output_status(path, status);
    if (exists && (status.type != ums::OutputStatus::Type::regular || status.is_standard_output())) return path;
    const std::size_t name = path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/') + 1;
    const std::size_t dot = path.find_last_of('.');
    const std::size_t end = dot == std::string::npos || dot <= name ? path.size() : dot;
    return fmt::format("{}.turn-{}{}", path.substr(0, end), turn, path.substr(end));
}

RunArguments arguments_of_turn(const RunArguments& arguments, std::uint32_t turn, const GroupTerms& terms) {
    RunArguments of = arguments;
    of.job = turn == 1 ? sim::Job::run : sim::Job::resume;
    of.json_path = of_turn(arguments.json_path, turn);
    of.html_path = of_turn(arguments.html_path, turn);
    of.findings_path = of_turn(arguments.findings_path, turn);
    of.log_path = of_turn(arguments.log_path, turn);
    if (terms.end_of_turn(turn) == "loss") of.duration_s = arguments.duration_s.value() + kLossPatienceS;
    return of;
}

// The name of the log and the length of the main run, which turns vary, may also come from the configuration.
RunArguments with_configuration(RunArguments arguments) {
    const config::Configuration configuration = effective_configuration(arguments, ums::this_machine());
    if (configuration.options.delete_files_at_shutdown) {
        throw UsageError("DeleteFilesAtShutdown=TRUE: would take the files away from the next owner of --plan hand-over; allowed is FALSE");
    }
    if (configuration.options.test_cycles == 0) {
        throw UsageError("TestCycles=0: a turn of --plan hand-over would never end; allowed is at least 1");
    }
    arguments.log_path = configuration.options.error_file;
    arguments.duration_s = configuration.options.test_cycle_duration_s;
    return arguments;
}

// It would give up its locks and go on, and the turn would test nothing.
void refuse_freeze_of_first_process(const GroupTerms& terms) {
    bool has_freeze = false;
    for (std::uint32_t turn = 1; turn <= terms.turns; ++turn) has_freeze = has_freeze || terms.end_of_turn(turn) == "fence";
    if (!has_freeze || ums::can_stop_this_process()) return;
    throw UsageError(
        "--change fence: the first process of a container cannot freeze itself. Let another one be the first (docker run --init, "
        "shareProcessNamespace of a pod), or leave fence out");
}

void say(const Call& call, const std::string& text) {
    call.console.add_message(ums::printable(text) + "\n");
    call.console.flush("");
}

ExitCode run_turn(const Call& call, const RunArguments& arguments, GroupMember& member, std::uint32_t turn) {
    member.begin_turn(turn, arguments.duration_s.value());
    const RunArguments of = arguments_of_turn(arguments, turn, member.settings().terms);
    std::uint64_t findings = 0;
    ExitCode code = ExitCode::ok;
    try {
        code = run_on_files(call, of, &member, &findings);
    } catch (const std::exception& error) {
        member.end_turn(findings, failure_text(error));
        throw;
    }
    std::string failure;
    if (code == ExitCode::stopped) failure = "a person stopped it";
    if (code != ExitCode::ok && code != ExitCode::stopped && findings == 0) {
        failure = code == ExitCode::integrity ? "a limit of --fail-on exceeded" : fmt::format("exit code {}", to_int(code));
    }
    member.end_turn(findings, failure);
    return code;
}

ExitCode take_turns(const Call& call, const RunArguments& arguments, GroupMember& member) {
    ExitCode worst = ExitCode::ok;
    bool has_had_turn = false;
    for (;;) {
        std::optional<std::uint32_t> turn;
        {
            const GracefulStop stop;
            turn = member.wait_for_turn(stop);
            if (!turn && stop.signal() != 0) return worse(worst, ExitCode::stopped);
        }
        if (!turn) break;
        has_had_turn = true;
        worst = worse(worst, run_turn(call, arguments, member, *turn));
        if (worst != ExitCode::ok) break;
    }
    const std::string failure = member.failure();
    if (failure.empty() && !has_had_turn) {
        // Also a process that was restarted after its last turn; it must not look like one that has verified anything.
        say(call, fmt::format("The group {} is over: this process took no turn. Name another group for a new hand-over, or wait a minute.",
                              member.settings().name));
    }
    if (failure.empty()) return worst;
    say(call, fmt::format("The group {} has ended early: {}{} Name another group for a new hand-over.", member.settings().name, failure,
                          failure.ends_with('.') ? "" : "."));
    for (const std::string& text : member.turn_texts()) say(call, text);
    return worse(worst, member.has_any_turn_findings() ? ExitCode::integrity : ExitCode::environment);
}

}  // namespace

ExitCode run_in_group(const Call& call, const RunArguments& arguments) {
    const GroupSettings settings = group_settings(arguments.group, [](const char* name) -> const char* { return std::getenv(name); });
    refuse_freeze_of_first_process(settings.terms);
    RunArguments of = settings.is_hand_over() ? with_configuration(arguments) : arguments;
    GroupMember member(settings, *arguments.witness, arguments.witness_keys, call.command_line);
    {
        const GracefulStop stop;
        member.join(stop);
        if (stop.signal() != 0) return ExitCode::stopped;
    }
    if (settings.is_hand_over()) {
        say(call, fmt::format("Group {}: waiting for the turns of rank {}", settings.name, settings.rank));
        const ExitCode code = take_turns(call, of, member);
        member.end(0);
        return code;
    }
    if (settings.only_reads()) of.job = sim::Job::verify;  // a reader creates and changes no files
    std::uint64_t findings = 0;
    const ExitCode code = run_on_files(call, of, &member, &findings);
    member.end(findings);
    return code;
}

}  // namespace cli
