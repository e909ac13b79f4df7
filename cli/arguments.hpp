// What the command line asks for, typed. Parsing touches no file and prints nothing, so that tests can do it in-process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench_arguments.hpp"
#include "sim/options.hpp"

namespace cli {

enum class Action : std::uint8_t {
    run,
    bench,              // measure the path of a run on some files
    show_config,        // print the effective configuration
    explain_parameter,  // print what the parameters mean
    print_help,
    print_version,
};

// The switches of `run`; empty means: not given.
struct RunArguments {
    std::string config_path;
    std::string save_path;
    std::string log_path;
    std::vector<std::string> directories;
    std::optional<std::uint64_t> duration_s;
    std::optional<std::uint64_t> size_mb;
    std::optional<std::uint64_t> seed;
    sim::EngineChoice engine = sim::EngineChoice::automatic;
    bool ephemeral = false;
    bool overwrite_foreign_files = false;
    bool no_progress = false;
    bool quiet = false;
};

struct Arguments {
    Action action = Action::run;
    bool called_as_sqliosim = false;  // through a link of that name: behave as SQLIOSIM.COM does
    RunArguments run;                 // also for show_config
    BenchArguments bench;
    std::string parameter;  // of explain_parameter; empty = all
    std::string text;       // of print_help and print_version
};

// `command_line[0]` is the name that the program was called by. Throws UsageError.
Arguments parse_arguments(const std::vector<std::string>& command_line);

// True for "sqliosim", "sqliosim.com" and "sqliosim.exe", in any case and any folder.
bool is_sqliosim_name(const std::string& program_path);

// The switches that repeat the choices of a run, with `seed` filled in, quoted for a shell.
std::string repeat_command(const std::vector<std::string>& command_line, std::uint64_t seed);

}  // namespace cli
