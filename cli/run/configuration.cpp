#include "cli/run/configuration.hpp"

#include <filesystem>
#include <system_error>

#include "sim/limits.hpp"
#include "sim/run/sizing.hpp"

namespace cli {

std::optional<std::string> configuration_file(const RunArguments& arguments) {
    if (!arguments.config_path.empty()) return arguments.config_path;
    std::error_code ignored;
    const std::string default_name(config::kDefaultFileName);
    if (std::filesystem::exists(default_name, ignored)) return default_name;
    return std::nullopt;
}

config::Configuration effective_configuration(const RunArguments& arguments, const ums::Machine& machine) {
    config::CommandLineOverrides overrides;
    overrides.profile = arguments.profile;
    if (!arguments.log_path.empty()) overrides.error_log = arguments.log_path;
    overrides.directories = arguments.directories;
    overrides.duration_s = arguments.duration_s;
    overrides.size_mb = arguments.size_mb;
    overrides.delete_files_at_shutdown = arguments.ephemeral;
    overrides.overwrite_foreign_files = arguments.overwrite_foreign_files;
    overrides.allow_missing_files = !arguments.save_path.empty();
    overrides.seed = arguments.seed;
    overrides.engine = arguments.engine;
    std::uint64_t cpus = 0;
    for (const std::uint32_t cpu : machine.cpus) cpus |= cpu < sim::kCpusMax ? std::uint64_t{1} << cpu : 0;
    const config::MachineFacts facts{.cpu_count = machine.cpu_count,
                                     .cpus = cpus,
                                     .default_pool_mb = sim::default_pool_mb(machine),
                                     .memory_mb = sim::pool_mb_max(machine)};
    return config::load_file(configuration_file(arguments), overrides, facts);
}

}  // namespace cli
