// The table of commands: the name, purpose, switches and help of each. The help texts, the manual page and the shell completions are made
// from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/process/exit_codes.hpp"
#include "cli/words/switches.hpp"

namespace cli {

class Console;

// One call of the program.
struct Call {
    std::vector<std::string> command_line;  // as typed, the program's name first
    std::vector<std::string> words;         // those after the command's name
    bool as_sqliosim = false;               // called through a link of that name: behave as SQLIOSIM.COM does
    Console& console;
};

enum class Operand : std::uint8_t { none, folders, files, parameter };  // what completions propose besides switches

struct Command {
    std::string_view name;      // "run", "config show"
    std::string_view operands;  // "DIR…", "FILE…", "[NAME]"; empty = none
    Operand kind = Operand::none;
    std::string_view summary;      // a few words
    std::string_view description;  // paragraphs, separated by '\n'
    Switches switches{};
    std::string_view switches_of{};  // the command whose switches these are, if not its own
    std::string_view options{};      // of another tool's command line, which the command parses itself, even -h; lines "SPELLING\thelp"
    std::string_view examples{};     // command lines, separated by '\n'
    std::string_view exit_codes{};   // if they differ from a run's; lines "CODE meaning"

    // Parses the words and executes the command, leaving results in the console's queue. Throws UsageError, config::ConfigError,
    // reports::ResultsDocumentError, sim::RefusedError, sim::EnvironmentError.
    ExitCode (*execute)(const Call& call) = nullptr;
};

// Each is defined in a file *_command.cpp; report and compare share one, and so do the two of config.
Command run_command();             // the test, alone or as a member of a group
Command verify_command();          // what is left of a run after a crash
Command preflight_command();       // what SQL Server will meet in some folders
Command report_command();          // shows the results of earlier runs
Command compare_command();         // two runs or measurements side by side
Command rehearse_command();        // many rehearsals side by side, and what they show
Command powertest_command();       // a campaign of power cuts
Command bench_command();           // a measurement
Command sweep_command();           // measures ranges of depths, threads, block sizes and mixes
Command diskspd_command();         // a measurement with DiskSpd's command line, also called as `diskspd`
Command sqlio_command();           // a measurement with SQLIO's command line, also called as `sqlio`
Command witness_command();         // keeps, for runs on other machines, what their storage has acknowledged
Command config_show_command();     // what a run would use
Command config_explain_command();  // what a parameter means

// All commands, in the order in which the help shows them.
const std::vector<Command>& commands();

// The command that `words` begin with, or nullptr. A name may have two words: "config show".
const Command* find_command(const std::vector<std::string>& words);

}  // namespace cli
