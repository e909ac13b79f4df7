#include "cli/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/bench_command.hpp"
#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "cli/preflight_command.hpp"
#include "cli/rehearse_command.hpp"
#include "cli/report_command.hpp"
#include "cli/run_command.hpp"
#include "cli/usage_error.hpp"
#include "config/options_writer.hpp"
#include "reports/results_document.hpp"
#include "sim/errors.hpp"

namespace cli {
namespace {

// Failures of output and of file sizes come back as errors of the calls, not as the end of the process.
void ignore_signals_of_calls() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

// In the dialect of the file that was read, so that it can be taken as the next one.
void show_configuration(const RunArguments& arguments, Console& console) {
    const config::Configuration configuration = effective_configuration(arguments, ums::this_machine());
    for (const std::string& warning : configuration.warnings) console.add_message(fmt::format("warning: {}\n", warning));
    const bool is_toml = configuration_file(arguments).value_or("").ends_with(".toml");
    console.add_result(config::write_options(configuration.options, is_toml ? config::Dialect::toml : config::Dialect::ini));
}

ExitCode execute(const std::vector<std::string>& command_line, Console& console) {
    const Arguments arguments = parse_arguments(command_line);
    switch (arguments.action) {
        case Action::run: return run_command(command_line, arguments, console);
        case Action::preflight: return preflight_command(arguments.preflight, console);
        case Action::bench: return bench_command(arguments.bench, console);
        case Action::report: report_command(arguments.report, console); break;
        case Action::compare: compare_command(arguments.report, console); break;
        case Action::show_config: show_configuration(arguments.run, console); break;
        case Action::explain_parameter: console.add_result(config::explain(arguments.parameter, console.columns())); break;
        case Action::rehearse: return rehearse_command(arguments.rehearse, console);
        case Action::print_help:
        case Action::print_version: console.add_result(arguments.text); break;
    }
    return ExitCode::ok;
}

// A message may have several lines, one for each mistake.
void add_error(Console& console, const std::string& program, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        console.add_message(fmt::format("{}: {}\n", program, text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

int run_program(const std::vector<std::string>& command_line) {
    ignore_signals_of_calls();
    Console console(STDOUT_FILENO, STDERR_FILENO);
    const bool as_sqliosim = !command_line.empty() && is_sqliosim_name(command_line[0]);
    const std::string program = as_sqliosim ? "sqliosim" : "ioproof";
    ExitCode code = ExitCode::internal_error;
    try {
        code = execute(command_line, console);
    } catch (const UsageError& error) {
        add_error(console, program, error.what());
        code = ExitCode::usage;
    } catch (const config::ConfigError& error) {
        add_error(console, program, error.what());
        code = ExitCode::usage;
    } catch (const reports::ResultsDocumentError& error) {
        add_error(console, program, error.what());
        code = ExitCode::usage;
    } catch (const sim::RefusedError& error) {
        add_error(console, program, error.what());
        code = ExitCode::usage;
    } catch (const sim::EnvironmentError& error) {
        add_error(console, program, error.what());
        code = ExitCode::environment;
    } catch (const std::bad_alloc&) {
        add_error(console, program, "there is not enough memory; lower MaxMemoryMB, the number of users, or the size of the files");
        code = ExitCode::environment;
    } catch (const std::exception& error) {
        add_error(console, program, fmt::format("internal error: {}", error.what()));
    }
    console.finish();
    return to_int(code);
}

}  // namespace cli
