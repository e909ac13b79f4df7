// A small language for the tests of config: texts in, options or messages out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/parameter.hpp"

namespace config_test {

// A machine on which nothing is capped or adjusted: 4 CPUs, memory not known.
inline constexpr config::MachineFacts kMachine{.cpu_count = 4, .default_pool_mb = 0, .memory_mb = 0};

// A data file and a log file, so that a configuration is whole.
inline constexpr const char* kIniFiles =
    "\n[File1]\nFileName=a.mdx\nInitialSize=64\nMaxSize=128\n[File2]\nFileName=a.ldx\nInitialSize=16\nMaxSize=16\nLogFile=TRUE\n";
inline constexpr const char* kTomlFiles =
    "\n[[file]]\npath = \"a.mdx\"\ninitial_size_mb = 64\nmax_size_mb = 128\n"
    "[[file]]\npath = \"a.ldx\"\ninitial_size_mb = 16\nmax_size_mb = 16\nlog_file = true\n";

// As load_file, from memory; the file is called test.ini or test.toml.
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

// The options of a text that must give no warning.
sim::Options quiet_ini(const std::string& text);
sim::Options quiet_toml(const std::string& text);

// Fails the test, showing them, if there are warnings.
void check_quiet(const config::Configuration& loaded);

// A new seed for every run, or IOPROOF_TEST_SEED to repeat one. Printed.
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
