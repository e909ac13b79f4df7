#include "cli/run/run_command.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/group/group_member.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/stop_signals.hpp"
#include "cli/run/configuration.hpp"
#include "cli/run/run.hpp"
#include "cli/run/run_arguments.hpp"
#include "cli/run/run_outputs.hpp"
#include "cli/run/start_text.hpp"
#include "cli/status/status_server.hpp"
#include "config/config.hpp"
#include "reports/output_file.hpp"
#include "sim/backup/backup_files.hpp"
#include "sim/engine_kind.hpp"
#include "sim/errors.hpp"
#include "sim/files/file_names.hpp"
#include "sim/run/sizing.hpp"
#include "ums/base/machine.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {
namespace {

std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
}

// Makes an engine and discards it, to learn which one this choice results in.
void find_engine(ums::Storage& storage, sim::EngineChoice choice, StartFacts& facts) {
    try {
        facts.engine = storage.make_engine({.kind = sim::engine_kind(choice)}, facts.engine_reason)->name();
    } catch (const std::system_error& error) {
        throw sim::EnvironmentError(error.what());
    }
}

// Serves the live view, if requested, while the run can be queried.
class LiveView {
public:
    LiveView(StatusServer* server, std::function<StatusTexts()> make_texts) : server_(server) {
        if (server_ != nullptr) server_->start(std::move(make_texts));
    }
    ~LiveView() {
        if (server_ != nullptr) server_->stop();
    }
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;

private:
    StatusServer* const server_;
};

void save(const sim::Options& options, const std::string& path) {
    const std::string text = config::saved_configuration(options, path);
    reports::OutputFile file(configuration_kind(), path);
    if (const auto failure = file.write(text)) throw sim::EnvironmentError(*failure);
}

// As in SQLIOSim, -save writes a first configuration file to start from. This is not a success, because there is nothing to run yet.
[[noreturn]] void save_what_there_is(const config::Configuration& configuration, const std::string& path) {
    save(configuration.as_set, path);
    throw config::ConfigError(fmt::format("{}\n{} has been written with every parameter and can be completed",
                                          fmt::join(configuration.missing_files, "\n"), path),
                              configuration.warnings);
}

// The files that a limit can be about. Of those of backups, only late requests are counted, under their resolved names.
std::vector<sim::FileOptions> files_for(const reports::Threshold& limit, const sim::Options& options, ums::Storage& storage) {
    using Figure = reports::Threshold::Figure;
    std::vector<sim::FileOptions> files = options.files;
    if (limit.figure != Figure::long_io && limit.figure != Figure::warnings) return files;
    std::vector<sim::FileOptions> of_backups = sim::backup_files(options);
    sim::resolve_names(of_backups, options.overwrite_foreign_files, storage);
    for (sim::FileOptions& file : of_backups) {
        file.named_as.clear();
        files.push_back(std::move(file));
    }
    return files;
}

// A limit for a file that the run does not have could never be exceeded. `options`: with all files, under their resolved names.
void check_limits(const std::vector<reports::Threshold>& limits, const sim::Options& options, ums::Storage& storage) {
    for (const reports::Threshold& limit : limits) {
        const std::vector<sim::FileOptions> files = files_for(limit, options, storage);
        const auto is_meant = [&](const sim::FileOptions& file) { return reports::is_about_file(limit, file.path, file.named_as); };
        if (std::any_of(files.begin(), files.end(), is_meant)) continue;
        std::vector<std::string> paths;
        for (const sim::FileOptions& file : files) paths.push_back(file.named_as.empty() ? file.path : file.named_as);
        throw UsageError(
            fmt::format("--fail-on: '{}' names no file of this run; allowed are {}", limit.expression, fmt::join(paths, ", ")));
    }
}

// Files may grow, but are not cut: no one could tell whether a page was cut away before or after it was read.
void fit_for_readers(sim::Options& options) {
    if (options.delete_files_at_shutdown) {
        throw UsageError("DeleteFilesAtShutdown=TRUE: would take the files away from the readers of --plan readers; allowed is FALSE");
    }
    options.files_only_grow = true;
}

// Not the run's own log, which is evidence.
std::string verification_log(const std::string& run_log) {
    constexpr std::string_view kEnd = ".log.xml";
    const bool has_end = run_log.ends_with(kEnd);
    return run_log.substr(0, run_log.size() - (has_end ? kEnd.size() : 0)) + ".verify.log.xml";
}

// What the configuration leaves open is decided, and the names of the files are those that they have.
sim::Options options_of_run(sim::Options options, const RunArguments& arguments, const GroupMember* group, const ums::Machine& machine,
                            ums::Storage& storage) {
    if (!arguments.seed) options.seed = random_seed();
    if (group != nullptr && group->settings().is_readers()) fit_for_readers(options);
    options.cpu_count = sim::cpu_count_for(options, machine);
    options.max_memory_mb = sim::pool_mb_for(options, machine);
    if (!is_about_left_files(options.job)) sim::add_tempdb_files(options);
    const bool are_databases_allowed = options.overwrite_foreign_files || options.job == sim::Job::verify;  // which writes nothing
    sim::resolve_names(options.files, are_databases_allowed, storage);
    return options;
}

}  // namespace

ExitCode run_on_files(const Call& call, const RunArguments& arguments, GroupMember* group, std::uint64_t* findings) {
    const ums::Machine machine = ums::this_machine();
    config::Configuration configuration = effective_configuration(arguments, machine);
    configuration.options.job = arguments.job;
    if (is_about_left_files(arguments.job) && arguments.log_path.empty()) {
        configuration.options.error_file = verification_log(configuration.options.error_file);
    }

    const GracefulStop stop;
    set_immediate_exit_code(ExitCode::stopped);  // not that of an earlier turn
    if (group != nullptr && group->is_to_be_lost()) exit_immediately_on_signals();
    check_run_outputs(arguments, configuration.options);
    if (!configuration.missing_files.empty()) save_what_there_is(configuration, arguments.save_path);

    ums::PosixStorage storage;
    const sim::Options options = options_of_run(configuration.options, arguments, group, machine, storage);
    check_limits(arguments.limits, options, storage);
    StartFacts facts{.cpu_count = options.cpu_count,
                     .pool_mb = options.max_memory_mb,
                     .profile = arguments.profile,
                     .config_path = configuration_file(arguments).value_or(""),
                     .log_path = options.error_file,
                     .findings_path = arguments.findings_path,
                     .repeat_command = repeat_command(call.command_line, options.seed)};
    find_engine(storage, options.engine, facts);
    std::optional<StatusServer> server;
    if (arguments.status) server.emplace(*arguments.status);
    if (server) facts.status_url = server->url();
    if (group != nullptr) facts.group = group->text();

    Run run(options, arguments, call.as_sqliosim, call.console, stop, group);
    if (!arguments.save_path.empty()) save(configuration.as_set, arguments.save_path);
    run.announce(facts);
    for (const std::string& warning : configuration.warnings) run.emit(sim::Severity::warning, warning);
    const LiveView view(server ? &*server : nullptr, [&] { return run.status_texts(facts.engine); });
    const ExitCode code = run.execute();
    if (findings != nullptr) *findings = run.finding_count();
    return code;
}

Command run_command() {
    return {.name = "run",
            .operands = "",
            .summary = "run the test",
            .description =
                "Creates the files, writes every page, runs all users for the given time, and reads and verifies every page at the end. "
                "Switches override the configuration file.\n"
                "Files are created and overwritten only if they do not exist or were made by ioproof before; *.mdf, *.ndf, *.ldf and "
                "block devices are refused.\n"
                "Ctrl-C ends a run cleanly, with the summary; a second Ctrl-C ends it immediately.",
            .switches = run_switches(),
            .examples =
                "ioproof run -dir /mnt/data -size 256 -d 60\n"
                "ioproof run -cfg sqliosim.hwcache.cfg.ini -dir /mnt/data -log run.log.xml\n"
                "ioproof run -dir /mnt/data -save my.cfg.ini -size 1024 -d 300 --status 8080\n"
                "ioproof run -dir /mnt/data --seed 4711 --engine threads --ephemeral\n"
                "ioproof run -dir /mnt/shared --witness 10.0.0.5:7017 --key-file KEY --group one --rank 0 --of 2",
            .execute = [](const Call& call) {
                const RunArguments arguments = parse_run(call.words);
                return arguments.group.are_given() ? run_in_group(call, arguments) : run_on_files(call, arguments);
            }};
}

}  // namespace cli
