#include "config/config.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "config/ini_reader.hpp"
#include "config/load_options.hpp"
#include "config/options_writer.hpp"
#include "config/parameter_table.hpp"
#include "config/toml_reader.hpp"

namespace config {

namespace {

// Far more than 4095 files need; stops at a device or at a data file that is named by mistake.
constexpr std::size_t kMegabyte = 1024UL * 1024;
constexpr std::size_t kFileBytesMax = 4 * kMegabyte;

Dialect dialect_of(const std::string& path) {
    return equal_ignoring_case(std::filesystem::path(path).extension().string(), ".toml") ? Dialect::toml : Dialect::ini;
}

std::string system_error_text() {
    return errno == 0 ? "unknown error" : std::error_code(errno, std::generic_category()).message();
}

std::string read_file(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw ConfigError(fmt::format("{}: is a folder, not a configuration file", path));
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw ConfigError(fmt::format("{}: cannot be opened: {}", path, system_error_text()));
    std::string bytes(kFileBytesMax + 1, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (in.bad()) throw ConfigError(fmt::format("{}: cannot be read: {}", path, system_error_text()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > kFileBytesMax) {
        throw ConfigError(fmt::format("{}: is larger than {} MB; is it a configuration file?", path, kFileBytesMax / kMegabyte));
    }
    return bytes;
}

}  // namespace

Configuration load_file(const std::optional<std::string>& path, const CommandLineOverrides& overrides, const MachineFacts& machine) {
    Problems problems;
    if (!path) return load_options(nullptr, std::move(problems), overrides, machine);
    const std::string bytes = read_file(*path);
    const RawConfig raw = dialect_of(*path) == Dialect::toml ? read_toml(bytes, *path, problems) : read_ini(bytes, *path, problems);
    return load_options(&raw, std::move(problems), overrides, machine);
}

void save(const sim::Options& options, const std::string& path) {
    const std::string text = write_options(options, dialect_of(path));
    errno = 0;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) throw ConfigError(fmt::format("{}: cannot be written: {}", path, system_error_text()));
}

}  // namespace config
