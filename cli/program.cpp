#include "cli/program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include <boost/system/system_error.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/measuring/measuring.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/stop_signals.hpp"
#include "cli/run/run_arguments.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/help_text.hpp"
#include "cli/words/manual.hpp"
#include "config/problems.hpp"
#include "reports/results_document.hpp"
#include "sim/errors.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/open_files.hpp"
#include "ums/base/printable.hpp"

namespace cli {
namespace {

// Otherwise the first file to be opened would become standard output, and receive everything that is printed. Where /dev/null does not
// exist, uses something that cannot be written to.
void open_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0) continue;
        if (::open("/dev/null", O_RDWR) < 0) ::open("/", O_RDONLY);
    }
}

// Failed output and exceeded file sizes must be errors of calls, not end the process.
void ignore_signals_of_calls() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

bool is_help_requested(const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(),
                       [](const std::string& word) { return word == "-h" || word == "--help" || word == "-?"; });
}

std::vector<std::string> from(const std::vector<std::string>& words, std::size_t first) {
    return {words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end()};
}

ExitCode print(Console& console, const std::string& text) {
    console.add_result(text);
    return ExitCode::ok;
}

// With fewer resources, the program would fail in obscure ways: what it reads from /proc and /sys would silently be missing, and the kernel
// kills a process that exceeds the memory of its control group.
void check_limits() {
    constexpr std::uint32_t kOpenFilesMin = 16;
    constexpr std::uint64_t kMemoryMbMin = 24;
    ums::raise_open_files_limit();
    if (!ums::can_open_files(kOpenFilesMin)) throw sim::EnvironmentError(ums::too_few_files_text(kOpenFilesMin));
    const std::uint64_t memory_bytes = ums::this_machine().memory_bytes;
    if (memory_bytes == 0 || memory_bytes >> 20 >= kMemoryMbMin) return;
    throw sim::EnvironmentError(
        fmt::format("the memory limit of the control group (memory.max, memory.high) is {} MB; at least {} MB are needed",
                    memory_bytes >> 20, kMemoryMbMin));
}

// The command that is called by the name of another tool; its command line begins with the first word.
const Command* command_of_name(const std::vector<std::string>& command_line) {
    if (command_line.empty()) return nullptr;
    const std::string name = program_name(command_line[0]);
    return name == "diskspd" || name == "sqlio" ? find_command({name}) : nullptr;
}

// What could not be done ends with 3, but the commands of other tools keep those tools' codes: 1, and 3 for wrong usage.
ExitCode code_if_not_done(const std::vector<std::string>& command_line) {
    constexpr ExitCode kOtherToolFailed{1};
    const Command* const command = find_command(from(command_line, 1));
    const bool is_other_tool = command_of_name(command_line) != nullptr || (command != nullptr && !command->options.empty());
    return is_other_tool ? kOtherToolFailed : ExitCode::environment;
}

// Such a command parses all words itself, except --help and --version.
ExitCode execute_other_tool(const Command& command, const std::vector<std::string>& command_line, std::size_t first, Console& console) {
    const std::vector<std::string> words = from(command_line, first);
    if (words.size() == 1 && words[0] == "--help") return print(console, help_text(command));
    if (words.size() == 1 && words[0] == "--version") return print(console, version_text());
    check_limits();
    return command.execute({.command_line = command_line, .words = words, .console = console});
}

ExitCode execute_as_sqliosim(const std::vector<std::string>& command_line, Console& console) {
    const std::vector<std::string> words = from(command_line, 1);
    if (is_help_requested(words) || (words.size() == 1 && words[0] == "/?")) return print(console, sqliosim_help_text());
    if (words.size() == 1 && words[0] == "--version") return print(console, version_text());
    check_limits();
    return find_command({"run"})->execute({.command_line = command_line, .words = words, .as_sqliosim = true, .console = console});
}

[[noreturn]] void refuse(const std::vector<std::string>& words) {
    const std::string& verb = words[0];
    std::vector<std::string_view> firsts;
    std::vector<std::string_view> seconds;  // second words of commands that begin with this one
    for (const Command& command : commands()) {
        const std::string_view first = command.name.substr(0, command.name.find(' '));
        if (firsts.empty() || firsts.back() != first) firsts.push_back(first);
        if (first == verb) seconds.push_back(command.name.substr(first.size() + 1));
    }
    if (!seconds.empty()) {
        const std::string what = words.size() > 1 ? fmt::format("'{}' is not allowed", words[1]) : "say what";
        throw UsageError(fmt::format("{}: {}; allowed are {}", verb, what, fmt::join(seconds, ", ")));
    }
    if (find_switch(run_switches(), verb) != nullptr) {
        throw UsageError(fmt::format("{}: belongs to a command; write 'ioproof run {} …'", verb, verb));
    }
    throw UsageError(fmt::format("unknown command '{}'; allowed are {}, --help, --version", verb, fmt::join(firsts, ", ")));
}

// "ioproof help run": as "ioproof run --help". `words`: what follows.
ExitCode execute_help(const std::vector<std::string>& words, Console& console) {
    if (words.empty() || words[0].starts_with('-')) return print(console, help_text());
    if (const Command* const command = find_command(words)) return print(console, help_text(*command));
    const std::string text = help_text_of_group(words[0]);
    if (text.empty() || words.size() > 1) refuse(words);
    return print(console, text);
}

ExitCode execute(const std::vector<std::string>& command_line, Console& console) {
    const std::vector<std::string> words = from(command_line, 1);
    if (words.empty()) throw UsageError("say what to do: 'ioproof run -dir DIR', or 'ioproof --help'");
    if (const Command* const command = find_command(words)) {
        if (!command->options.empty()) return execute_other_tool(*command, command_line, 2, console);
        const std::size_t name_words = command->name.find(' ') == std::string_view::npos ? 1 : 2;
        const std::vector<std::string> rest = from(words, name_words);
        if (is_help_requested(rest)) return print(console, help_text(*command));
        check_limits();
        return command->execute({.command_line = command_line, .words = rest, .console = console});
    }
    if (words[0] == "--version" || words[0] == "-V") return print(console, version_text());
    // For the build: the program itself makes its manual pages and completions.
    if (words[0] == "--generate") return print(console, generated_text(words.size() > 1 ? words[1] : ""));
    if (words[0] == "help" || is_help_requested({words[0]})) return execute_help(from(words, 1), console);
    if (const std::string text = help_text_of_group(words[0]); is_help_requested(words) && !text.empty()) return print(console, text);
    refuse(words);
}

void add_error(Console& console, const std::string& program, std::string_view text) {
    console.add_message(fmt::format("{}: {}\n", program, ums::printable(text)));
}

// One line for each warning and error. The errors come last, where they are seen.
void add_problems(Console& console, const std::string& program, const config::ConfigError& error) {
    for (const std::string& warning : error.warnings()) console.add_message(fmt::format("warning: {}\n", warning));
    std::string_view lines = error.what();
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        add_error(console, program, lines.substr(0, end));
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
}

// Prints the queued output if there is memory for that.
[[noreturn]] void finish_without_memory(Console& console) {
    try {
        console.finish();
    } catch (const std::bad_alloc&) {
        end_without_memory();
    }
    end_without_memory();
}

// Why a call failed is said on the console, and is the exit code.
ExitCode execute_or_explain(const std::vector<std::string>& command_line, const std::string& program, ExitCode not_done, Console& console) {
    try {
        if (const Command* const other = command_of_name(command_line)) return execute_other_tool(*other, command_line, 1, console);
        return program == "sqliosim" ? execute_as_sqliosim(command_line, console) : execute(command_line, console);
    } catch (const UsageError& error) {
        add_error(console, program, error.what());
        return ExitCode::usage;
    } catch (const config::ConfigError& error) {
        add_problems(console, program, error);
        return ExitCode::usage;
    } catch (const reports::ResultsDocumentError& error) {
        add_error(console, program, error.what());
        return ExitCode::usage;
    } catch (const sim::RefusedError& error) {
        add_error(console, program, error.what());
        return ExitCode::usage;
    } catch (const sim::EnvironmentError& error) {
        add_error(console, program, error.what());
        return not_done;
    } catch (const std::bad_alloc&) {
        finish_without_memory(console);
    } catch (const std::system_error& error) {  // the system refused something: a thread, a descriptor
        add_error(console, program, ums::error_text(error));
        return not_done;
    } catch (const boost::system::system_error& error) {
        add_error(console, program, failure_text(error));
        return not_done;
    } catch (const std::exception& error) {
        add_error(console, program, fmt::format("internal error: {}", error.what()));
        return ExitCode::internal_error;
    }
}

}  // namespace

int run_program(const std::vector<std::string>& command_line) {
    open_standard_descriptors();
    install_stop_signals();
    const ExitCode not_done = code_if_not_done(command_line);
    exit_immediately_without_memory(not_done);
    ignore_signals_of_calls();
    Console console(STDOUT_FILENO, STDERR_FILENO);
    const bool as_sqliosim = !command_line.empty() && program_name(command_line[0]) == "sqliosim";
    const std::string program = as_sqliosim ? "sqliosim" : "ioproof";
    ExitCode code = execute_or_explain(command_line, program, not_done, console);
    console.finish();
    if (const std::error_code error = console.results_error()) {
        add_error(console, program, fmt::format("standard output: {}; the output there is incomplete", error.message()));
        console.finish();
        if (code == ExitCode::ok) code = not_done;
    }
    return to_int(code);
}

}  // namespace cli
