#include "config/config.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "config/ini_reader.hpp"
#include "config/load_options.hpp"
#include "config/options_writer.hpp"
#include "config/parameter_table.hpp"
#include "config/profiles.hpp"
#include "config/toml_reader.hpp"
#include "ums/base/input_file.hpp"
#include "ums/base/printable.hpp"

namespace config {

namespace {

// Far more than 4095 files need; stops at a device or a data file that was named by mistake.
constexpr std::size_t kFileBytesMax = 4UL * 1024 * 1024;

Dialect dialect_of(const std::string& path) {
    return equal_ignoring_case(std::filesystem::path(path).extension().string(), ".toml") ? Dialect::toml : Dialect::ini;
}

// `name` is for messages.
std::string read_file(const std::string& path, const std::string& name) {
    ums::InputFile file = ums::read_input_file(path, kFileBytesMax);
    if (file.problem.empty()) return std::move(file.bytes);
    throw ConfigError(fmt::format("{}: {}", name, file.problem));
}

RawConfig read_profile(const std::string& name) {
    const Profile* const profile = find_profile(name);
    if (profile == nullptr) throw ConfigError(fmt::format("--profile {}: there is no such profile; allowed: {}", name, profile_names()));
    Problems problems;
    RawConfig raw = read_toml(profile->text, fmt::format("profile {}", name), problems);
    problems.throw_if_any();
    return raw;
}

}  // namespace

Configuration load_file(const std::optional<std::string>& path, const CommandLineOverrides& overrides, const MachineFacts& machine) {
    std::optional<RawConfig> profile;
    if (!overrides.profile.empty()) profile = read_profile(overrides.profile);
    const RawConfig* const base = profile ? &*profile : nullptr;
    Problems problems;
    if (!path) return load_options(base, nullptr, std::move(problems), overrides, machine);
    const std::string name = ums::printable(*path);
    const std::string bytes = read_file(*path, name);
    const RawConfig raw = dialect_of(*path) == Dialect::toml ? read_toml(bytes, name, problems) : read_ini(bytes, name, problems);
    return load_options(base, &raw, std::move(problems), overrides, machine);
}

std::string saved_configuration(const sim::Options& options, const std::string& path) { return write_options(options, dialect_of(path)); }

bool is_saved_configuration(std::string_view head) {
    return head.starts_with(first_line(Dialect::ini)) || head.starts_with(first_line(Dialect::toml));
}

}  // namespace config
