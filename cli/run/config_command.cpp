#include <string>

#include <fmt/format.h>

#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/run/configuration.hpp"
#include "cli/run/run_arguments.hpp"
#include "cli/words/commands.hpp"
#include "config/config.hpp"
#include "ums/base/printable.hpp"

namespace cli {
namespace {

// Uses the dialect of the file that was read, so that the output can serve as the next configuration file.
void show(const RunArguments& arguments, Console& console) {
    const config::Configuration configuration = effective_configuration(arguments, ums::this_machine());
    for (const std::string& warning : configuration.warnings) console.add_message(fmt::format("warning: {}\n", warning));
    const std::string text = config::saved_configuration(configuration.options, configuration_file(arguments).value_or(""));
    if (ums::printable_lines(text) != text) {
        console.add_message(
            "warning: characters that are not safe for a terminal are shown as numbers; -save FILE writes them as they are\n");
    }
    console.add_result(text);
}

void explain(const std::vector<std::string>& words, Console& console) {
    if (words.size() > 1) throw UsageError("config explain takes the name of one parameter, or none for all");
    console.add_result(config::explain(words.empty() ? "" : words[0], console.columns()));
}

}  // namespace

Command config_show_command() {
    return {.name = "config show",
            .operands = "",
            .summary = "print the configuration a run with these switches would use",
            .description = "Puts defaults, file and switches together as a run does, and prints the result. Runs nothing.",
            .switches = run_switches(),
            .switches_of = "run",
            .examples = "ioproof config show -cfg sqliosim.cfg.ini -dir /mnt/data -size 64",
            .exit_codes = "0 done\n2 wrong usage, or a configuration that is wrong or cannot be read\n3 the output cannot be written",
            .execute = [](const Call& call) {
                show(parse_run(call.words), call.console);
                return ExitCode::ok;
            }};
}

Command config_explain_command() {
    return {.name = "config explain",
            .operands = "[NAME]",
            .kind = Operand::parameter,
            .summary = "say what a parameter means; without NAME: all of them",
            .description = "Says what a parameter or a section means, its unit, range and default. So does ioproof.conf(5).",
            .examples = "ioproof config explain CacheHitRatio",
            .exit_codes = "0 done\n2 no such parameter or section\n3 the output cannot be written",
            .execute = [](const Call& call) {
                explain(call.words, call.console);
                return ExitCode::ok;
            }};
}

}  // namespace cli
