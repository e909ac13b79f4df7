// Configuration: SQLIOSim's INI files or TOML, and the switches of the command line, become one checked sim::Options; and options become a
// file again. The only header of config that other modules need. Any thread may call any function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/problems.hpp"
#include "sim/options.hpp"

namespace config {

// The file that SQLIOSim reads if no -cfg is given and it exists in the current directory. The caller decides whether to look for it.
inline constexpr std::string_view kDefaultFileName = "sqliosim.cfg.ini";
// Size of the data file of -dir when -size is not given.
inline constexpr std::uint64_t kDefaultSizeMb = 4096;

// What some checks need to know about the machine. The options keep CPUCount 0 and MaxMemoryMB 0: nothing of this is written into them.
struct MachineFacts {
    std::uint32_t cpu_count = 1;        // logical CPUs that the run may use
    std::uint64_t cpus = 0;             // which of the first 64, one bit each; 0 = unknown, so Affinity and IOAffinity are not checked
    std::uint64_t default_pool_mb = 0;  // the largest pool when MaxMemoryMB is 0; 0 = unknown, so Increment is not checked against it
    std::uint64_t memory_mb = 0;        // that a pool may take; 0 = unknown, so MaxMemoryMB is not capped
};

// The switches. All but the profile override the file.
struct CommandLineOverrides {
    std::string profile{};                   // --profile: applied before the file, which overrides it; empty: none
    std::optional<std::string> error_log{};  // -log: ErrorFile
    std::vector<std::string> directories{};  // -dir: each makes a data and a log file; together they replace the files of the configuration
    std::optional<std::uint64_t> duration_s{};  // -d: TestCycleDuration
    std::optional<std::uint64_t> size_mb{};     // -size: initial size of every data file; it may grow to twice that
    bool delete_files_at_shutdown = false;      // --ephemeral
    bool overwrite_foreign_files = false;
    bool allow_missing_files = false;  // -save: a configuration without files is allowed, to start from
    std::optional<std::uint64_t> seed{};
    sim::EngineChoice engine = sim::EngineChoice::automatic;
};

struct Configuration {
    sim::Options options;
    std::vector<std::string> warnings;       // one line each, with the place as in ConfigError
    std::vector<std::string> missing_files;  // with allow_missing_files: files that a run still needs, in the same form
    sim::Options as_set;                     // what file and switches say, before it was fitted to this machine: what -save writes
};

// Reads `path` (TOML if it ends in .toml, otherwise INI; none = every parameter has its default), applies the switches and checks the
// result. Throws ConfigError, with every error and warning that was found. Opens no file other than `path`.
Configuration load_file(const std::optional<std::string>& path, const CommandLineOverrides& overrides, const MachineFacts& machine);

// The contents of a file `path` (TOML if it ends in .toml, otherwise INI) from which load_file returns the same options: every parameter
// except seed, engine and overwrite_foreign_files, which no file holds. Opens no file. Throws ConfigError if a file name does not fit the
// format.
std::string saved_configuration(const sim::Options& options, const std::string& path);

// True if a file that begins with these bytes came from saved_configuration().
bool is_saved_configuration(std::string_view head);

// The narrowest terminal that `explain` fills.
inline constexpr std::size_t kTerminalColumns = 80;

// Help for a terminal. `topic` is empty (all sections and keys, briefly), a section (RandomUser, [RandomUser], random_user), a key in
// either spelling (all sections that have it), or SECTION.KEY. No line is longer than `columns`, unless a single word is. Throws
// ConfigError with a suggestion if there is no such topic.
std::string explain(std::string_view topic, std::size_t columns = kTerminalColumns);

// The text of docs/configuration.md.
std::string documentation_page();

}  // namespace config
