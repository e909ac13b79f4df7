// Files on disk: the choice of reader, and the messages about files that cannot be read or written.
#include <filesystem>
#include <fstream>

#include "config/config.hpp"
#include "tests/config/random_options.hpp"
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config_test;

namespace {

std::string load_error(const std::optional<std::string>& path, const config::CommandLineOverrides& overrides = {}) {
    try {
        config::load_file(path, overrides, kMachine);
    } catch (const config::ConfigError& error) {
        return error.what();
    }
    return {};
}

void save(const sim::Options& options, const std::string& path) {
    std::ofstream(path, std::ios::binary) << config::saved_configuration(options, path);
}

}  // namespace

TEST_CASE("the extension selects the reader, and everything but .toml is INI") {
    const TemporaryDirectory folder;
    const std::string toml = std::string("[config]\ncpu_count = 3\n") + kTomlFiles;
    const std::string ini = std::string("[CONFIG]\nCPUCount=3\n") + kIniFiles;
    CHECK(config::load_file(folder.write("a.toml", toml), {}, kMachine).options.cpu_count == 3);
    CHECK(config::load_file(folder.write("a.TOML", toml), {}, kMachine).options.cpu_count == 3);
    CHECK(config::load_file(folder.write("sqliosim.cfg.ini", ini), {}, kMachine).options.cpu_count == 3);
    CHECK(config::load_file(folder.write("sqliosim.cfg", ini), {}, kMachine).options.cpu_count == 3);
}

TEST_CASE("messages name the file as it was given") {
    const TemporaryDirectory folder;
    const std::string path = folder.write("x.ini", "[CONFIG]\nCPUCount=x\n");
    CHECK(load_error(path) == path + ":2: [CONFIG] CPUCount = x: is not a whole number; allowed: 0 to 64 CPUs");
}

TEST_CASE("a configuration to be saved may lack files, but must otherwise be valid") {
    config::CommandLineOverrides overrides;
    overrides.allow_missing_files = true;
    overrides.duration_s = 77;
    const config::Configuration none = config::load_file(std::nullopt, overrides, {});
    REQUIRE(none.missing_files.size() == 1);
    CHECK_THAT(none.missing_files[0], ContainsSubstring("no file is named"));
    CHECK(none.options.test_cycle_duration_s == 77);
    overrides.directories = {"/data"};
    CHECK(config::load_file(std::nullopt, overrides, {}).missing_files.empty());
}

TEST_CASE("without a configuration and -dir no file is named") {
    CHECK(load_error(std::nullopt) == "no file is named; give -dir DIR, or a [File1] section with FileName, InitialSize and MaxSize");
}

TEST_CASE("a configuration file that cannot be read is an error that says why") {
    const TemporaryDirectory folder;
    CHECK(load_error(folder.file("missing.ini")) == folder.file("missing.ini") + ": cannot be opened: No such file or directory");
    CHECK(load_error(folder.file("")) == folder.file("") + ": is a folder; only regular files are read");
    CHECK(load_error(folder.write("big.ini", std::string(4 * 1024 * 1024 + 1, ';'))) == folder.file("big.ini") + ": is larger than 4 MB");
    CHECK_THAT(load_error("/dev/zero"), ContainsSubstring("/dev/zero: is a device; only regular files are read"));
    CHECK_THAT(load_error(folder.write("page.ini", std::string(8192, '\0'))), ContainsSubstring("page.ini:1: not a text file"));
}

TEST_CASE("a saved configuration is loaded again, including the file's own name") {
    const TemporaryDirectory folder;
    const std::uint64_t seed = test_seed("save");
    INFO("seed " << seed);
    ums::Prng prng(seed);
    const sim::Options options = random_options(prng);
    for (const char* name : {"saved.ini", "saved.toml"}) {
        save(options, folder.file(name));
        CHECK(config::load_file(folder.file(name), {}, kMachine).options == options);
        // A shorter text must leave nothing of the longer one.
        sim::Options fewer = options;
        fewer.files.resize(2);
        save(fewer, folder.file(name));
        CHECK(config::load_file(folder.file(name), {}, kMachine).options.files.size() == 2);
    }
}

TEST_CASE("the switch -save saves defaults, file and switches combined") {
    const TemporaryDirectory folder;
    const std::string path = folder.write("x.ini", "[CONFIG]\nCPUCount=3\n");
    const sim::Options options = config::load_file(path, {.directories = {"/d"}, .duration_s = 7, .size_mb = 64}, kMachine).options;
    save(options, path);
    const sim::Options again = config::load_file(path, {}, kMachine).options;
    CHECK(again == options);
    CHECK(again.cpu_count == 3);
    CHECK(again.test_cycle_duration_s == 7);
    CHECK(again.files.at(0).initial_size_mb == 64);
}

TEST_CASE("the switch -save saves what was set, not what this machine allows of it") {
    const TemporaryDirectory folder;
    const std::string path = folder.write("x.ini", "[CONFIG]\nMaxMemoryMB=64\n");
    const config::MachineFacts small{.cpu_count = 1, .default_pool_mb = 16, .memory_mb = 32};
    const config::Configuration loaded = config::load_file(path, {.directories = {"/d"}}, small);
    CHECK(loaded.options.max_memory_mb == 32);
    CHECK(loaded.options.files.at(0).increment_mb == 1);
    CHECK(loaded.as_set.max_memory_mb == 64);
    CHECK(loaded.as_set.files.at(0).increment_mb == 10);
    save(loaded.as_set, path);
    CHECK(config::load_file(path, {}, small).options == loaded.options);
}

TEST_CASE("a saved file is recognized by its first line, and a handwritten one is not") {
    for (const char* name : {"a.ini", "a.toml"}) {
        const std::string text = config::saved_configuration({}, name);
        CHECK(config::is_saved_configuration(text));
        CHECK_FALSE(config::is_saved_configuration("; mine\n" + text));
        CHECK_FALSE(config::is_saved_configuration(text.substr(1)));
    }
    CHECK_FALSE(config::is_saved_configuration(""));
    CHECK_FALSE(config::is_saved_configuration(kIniFiles));
}
