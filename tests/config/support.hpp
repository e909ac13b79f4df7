// Helpers for the tests of config: texts in, options or messages out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/parameter.hpp"

namespace config_test {

// A machine on which nothing is capped or adjusted: 4 CPUs, unknown memory.
inline constexpr config::MachineFacts kMachine{.cpu_count = 4, .default_pool_mb = 0, .memory_mb = 0};

// A data file and a log file, which make a configuration complete.
inline constexpr const char* kIniFiles =
    "\n[File1]\nFileName=a.mdx\nInitialSize=64\nMaxSize=128\n[File2]\nFileName=a.ldx\nInitialSize=16\nMaxSize=16\nLogFile=TRUE\n";
inline constexpr const char* kTomlFiles =
    "\n[[file]]\npath = \"a.mdx\"\ninitial_size_mb = 64\nmax_size_mb = 128\n"
    "[[file]]\npath = \"a.ldx\"\ninitial_size_mb = 16\nmax_size_mb = 16\nlog_file = true\n";

// Like load_file, but from memory, with the file name test.ini or test.toml.
config::Configuration load(config::Dialect dialect, const std::string& text, const config::CommandLineOverrides& overrides = {},
                           const config::MachineFacts& machine = kMachine);
config::Configuration load_ini(const std::string& text, const config::CommandLineOverrides& overrides = {},
                               const config::MachineFacts& machine = kMachine);
config::Configuration load_toml(const std::string& text, const config::CommandLineOverrides& overrides = {},
                                const config::MachineFacts& machine = kMachine);

// The message of the ConfigError; fails the test if there is none.
std::string error_of(config::Dialect dialect, const std::string& text, const config::CommandLineOverrides& overrides = {},
                     const config::MachineFacts& machine = kMachine);
std::string ini_error(const std::string& text, const config::CommandLineOverrides& overrides = {},
                      const config::MachineFacts& machine = kMachine);
std::string toml_error(const std::string& text, const config::CommandLineOverrides& overrides = {},
                       const config::MachineFacts& machine = kMachine);

// The options of a text; fails the test if there is a warning.
sim::Options quiet_ini(const std::string& text);
sim::Options quiet_toml(const std::string& text);

// Fails the test and shows the warnings if there are any.
void check_quiet(const config::Configuration& loaded);

// Returns and prints a new seed for every run, or IOPROOF_TEST_SEED to repeat one.
std::uint64_t test_seed(const char* test);

// The root of the source tree.
std::filesystem::path source_root();
std::string read_whole(const std::filesystem::path& path);

// A directory that is removed with everything in it.
class TemporaryDirectory {
public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
    // Writes a file and returns its path.
    [[nodiscard]] std::string write(const std::string& name, const std::string& bytes) const;

private:
    std::filesystem::path path_;
};

}  // namespace config_test
