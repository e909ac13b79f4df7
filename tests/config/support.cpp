#include "tests/config/support.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "config/ini_reader.hpp"
#include "config/load_options.hpp"
#include "config/toml_reader.hpp"
#include "tests/support/catch.hpp"

namespace config_test {

config::Configuration load(config::Dialect dialect, const std::string& text, const config::CommandLineOverrides& overrides,
                           const config::MachineFacts& machine) {
    config::Problems problems;
    const config::RawConfig raw =
        dialect == config::Dialect::ini ? config::read_ini(text, "test.ini", problems) : config::read_toml(text, "test.toml", problems);
    return config::load_options(nullptr, &raw, problems, overrides, machine);
}

config::Configuration load_ini(const std::string& text, const config::CommandLineOverrides& overrides,
                               const config::MachineFacts& machine) {
    return load(config::Dialect::ini, text, overrides, machine);
}

config::Configuration load_toml(const std::string& text, const config::CommandLineOverrides& overrides,
                                const config::MachineFacts& machine) {
    return load(config::Dialect::toml, text, overrides, machine);
}

std::string error_of(config::Dialect dialect, const std::string& text, const config::CommandLineOverrides& overrides,
                     const config::MachineFacts& machine) {
    try {
        load(dialect, text, overrides, machine);
    } catch (const config::ConfigError& error) {
        return error.what();
    }
    FAIL("no error for:\n" << text);
    return {};
}

std::string ini_error(const std::string& text, const config::CommandLineOverrides& overrides, const config::MachineFacts& machine) {
    return error_of(config::Dialect::ini, text, overrides, machine);
}

std::string toml_error(const std::string& text, const config::CommandLineOverrides& overrides, const config::MachineFacts& machine) {
    return error_of(config::Dialect::toml, text, overrides, machine);
}

void check_quiet(const config::Configuration& loaded) {
    for (const std::string& warning : loaded.warnings) UNSCOPED_INFO(warning);
    CHECK(loaded.warnings.empty());
}

sim::Options quiet_ini(const std::string& text) {
    const config::Configuration loaded = load_ini(text);
    check_quiet(loaded);
    return loaded.options;
}

sim::Options quiet_toml(const std::string& text) {
    const config::Configuration loaded = load_toml(text);
    check_quiet(loaded);
    return loaded.options;
}

std::uint64_t test_seed(const char* test) {
    const char* given = std::getenv("IOPROOF_TEST_SEED");
    const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("%s: IOPROOF_TEST_SEED=%llu\n", test, static_cast<unsigned long long>(seed));
    return seed;
}

std::filesystem::path source_root() { return IOPROOF_SOURCE_ROOT; }

std::string read_whole(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    INFO(path.string());
    REQUIRE(in.good());
    return {std::istreambuf_iterator<char>(in), {}};
}

TemporaryDirectory::TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "ioproof-config-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name, const std::string& bytes) const {
    std::ofstream out(path_ / name, std::ios::binary);
    out << bytes;
    out.close();
    REQUIRE(out.good());
    return file(name);
}

}  // namespace config_test
