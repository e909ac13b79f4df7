#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/diskspd/diskspd_arguments.hpp"
#include "cli/diskspd/diskspd_options.hpp"
#include "cli/diskspd/diskspd_specification.hpp"
#include "cli/diskspd/precreated_files.hpp"
#include "cli/diskspd/profile_reader.hpp"
#include "cli/diskspd/write_buffers.hpp"
#include "cli/measuring/measuring.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/help_text.hpp"
#include "reports/diskspd/diskspd_profile_text.hpp"
#include "reports/diskspd/diskspd_profile_xml.hpp"
#include "reports/diskspd/diskspd_results_xml.hpp"
#include "reports/diskspd/diskspd_text.hpp"
#include "sim/errors.hpp"
#include "sim/limits.hpp"
#include "sim/version.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/input_file.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/processor_topology.hpp"

namespace cli {
namespace {

using reports::DiskspdDocument;
using reports::DiskspdFormat;
using reports::DiskspdProfile;

// DiskSpd's exit codes: 3 for a wrong command line, 1 for work that could not be done.
constexpr ExitCode kDiskspdWrong{3};
constexpr ExitCode kDiskspdFailed{1};
constexpr std::size_t kDocumentBytesMax = std::size_t{4} << 20;

// Adds what a pure function cannot know: buffers, CPUs, and what the files hold.
void complete(const DiskspdProfile& profile, sim::MeasureSpec& spec) {
    const std::vector<std::uint32_t> cpus = ums::this_machine().cpus;
    WriteBuffers buffers;
    for (std::size_t i = 0; i < spec.timespans.size(); ++i) {
        const reports::DiskspdTimeSpan& wanted = profile.time_spans[i];
        spec.timespans[i].affinity = diskspd_cpus(wanted, cpus);
        for (std::size_t k = 0; k < wanted.targets.size(); ++k) {
            sim::MeasureSource& source = spec.timespans[i].targets[k].source;
            if (source.contents == sim::MeasureContents::buffer) source.bytes = buffers.buffer_of(wanted.targets[k], wanted.seed);
        }
    }
    if (const std::string problem = sim::check_measure_spec(spec); !problem.empty()) throw UsageError(problem);
    allow_empty_targets(spec);
}

// -c creates missing folders, too.
void make_folders(const sim::MeasureSpec& spec) {
    for (const sim::MeasureTimespan& span : spec.timespans) {
        for (const sim::MeasureTarget& target : span.targets) {
            const std::filesystem::path folder = std::filesystem::path(target.path).parent_path();
            if (target.create_bytes == 0 || folder.empty()) continue;
            std::error_code error;
            std::filesystem::create_directories(folder, error);
            if (error) throw sim::EnvironmentError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
        }
    }
}

// Messages during the run: -v announces phases, -P prints dots.
class Progress {
public:
    Progress(const DiskspdProfile& profile, Console& console) : profile_(profile), console_(console) {}

    void on_second(const sim::MeasureProgress& progress) {
        if (profile_.is_verbose) tell_phase(progress);
        if (profile_.progress > 0) print_dots(progress);
    }

private:
    void tell_phase(const sim::MeasureProgress& progress) {
        constexpr std::array kPhases{"preparing", "warm up", "measuring", "cool down", "reading back", "done"};
        if (progress.timespan == told_timespan_ && progress.phase == told_phase_) return;
        told_timespan_ = progress.timespan;
        told_phase_ = progress.phase;
        console_.add_message(fmt::format("timespan {}: {}\n", progress.timespan, kPhases.at(static_cast<std::size_t>(progress.phase))));
    }
    void print_dots(const sim::MeasureProgress& progress) {
        if (progress.requests < requests_) dots_ = 0;  // PrecreateFiles has a measurement of its own
        requests_ = progress.requests;
        const std::uint64_t dots = progress.requests / profile_.progress;
        if (dots <= dots_) return;
        constexpr std::uint64_t kDotsMax = 1000;  // per second
        console_.add_message(std::string(std::min(dots - dots_, kDotsMax), '.') + "\n");
        dots_ = dots;
    }

    const DiskspdProfile& profile_;
    Console& console_;
    std::uint32_t told_timespan_ = 0;
    sim::MeasurePhase told_phase_ = sim::MeasurePhase::done;
    std::uint64_t requests_ = 0;  // in all time spans so far
    std::uint64_t dots_ = 0;      // for them
};

DiskspdProfile profile_of(const DiskspdArguments& arguments, Console& console) {
    if (arguments.profile_path.empty()) return arguments.profile;
    const ums::InputFile input = ums::read_input_file(arguments.profile_path, kDocumentBytesMax);
    if (!input.problem.empty()) throw UsageError(fmt::format("{}: {}", arguments.profile_path, input.problem));
    ReadProfile read = read_diskspd_profile(input.bytes, arguments.profile_path);
    for (const std::string& notice : read.notices) console.add_message(fmt::format("diskspd: {}\n", notice));
    complete_diskspd_profile(arguments, read.profile);
    return std::move(read.profile);
}

// False, after a message, if it failed or was stopped.
bool precreate_files(const DiskspdProfile& profile, sim::MeasureSpec& spec, Progress& progress, Console& console) {
    const auto sizes = precreated_sizes(profile);
    if (sizes.empty()) return true;
    const sim::MeasureSpec making = precreation_of(spec, sizes);
    make_folders(making);
    const sim::MeasureResults results = run_measurement(making, console, [&](const sim::MeasureProgress& now) { progress.on_second(now); });
    if (!results.failure_reason.empty()) console.add_message(fmt::format("diskspd: {}\n", results.failure_reason));
    if (results.stopped) console.add_message("diskspd: stopped while the files were being created; nothing was measured\n");
    take_as_made(spec, sizes);
    return !results.stopped && results.failure_reason.empty() && results.finding_count == 0;
}

// Scripts would take a measurement that was stopped before it began for one that is done.
bool has_measured(const sim::MeasureResults& results) {
    return std::any_of(results.timespans.begin(), results.timespans.end(),
                       [](const sim::MeasureTimespanResults& span) { return span.duration_ns > 0; });
}

ExitCode run_diskspd(const DiskspdArguments& arguments, DiskspdDocument& document, Console& console) {
    sim::MeasureSpec spec = diskspd_specification(arguments, document.profile);
    complete(document.profile, spec);
    const auto has_more_cpus = [](const sim::MeasureTimespan& span) { return span.affinity.size() > sim::kCpusMax; };
    if (std::any_of(spec.timespans.begin(), spec.timespans.end(), has_more_cpus)) {
        console.add_message(fmt::format(
            "diskspd: at most {0} CPUs are used at a time: the first {0} of those that -a names, or that there are\n", sim::kCpusMax));
    }
    make_folders(spec);
    Progress progress(document.profile, console);
    if (!precreate_files(document.profile, spec, progress, console)) return kDiskspdFailed;
    document.results = run_measurement(spec, console, [&](const sim::MeasureProgress& now) { progress.on_second(now); });
    if (const std::string text = engine_messages(document.results, "diskspd"); !text.empty()) console.add_message(text);
    if (const std::string text = hole_messages(document.results, "diskspd"); !text.empty()) console.add_message(text);
    document.is_verified = arguments.verifies;
    console.add_result(document.profile.format == DiskspdFormat::xml ? diskspd_results_xml(document)
                                                                     : diskspd_text(document, arguments.text_style));
    if (!document.results.failure_reason.empty()) console.add_message(fmt::format("diskspd: {}\n", document.results.failure_reason));
    const bool has_figures = has_measured(document.results);
    if (!has_figures && document.results.stopped) {
        console.add_message("diskspd: stopped before the measurement began; nothing was measured\n");
    }
    const bool is_right = has_figures && document.results.finding_count == 0 && document.results.failure_reason.empty();
    return is_right ? ExitCode::ok : kDiskspdFailed;
}

ExitCode print_only(const DiskspdArguments& arguments, const DiskspdDocument& document, Console& console) {
    const bool is_xml = document.profile.format == DiskspdFormat::xml;
    if (arguments.profile.is_system_only) {
        console.add_result(is_xml ? diskspd_system_xml(document.system) : diskspd_system_text(document.system));
    } else {
        console.add_result(is_xml ? diskspd_profile_xml(document.profile) : diskspd_profile_text(document.profile, arguments.text_style));
    }
    return ExitCode::ok;
}

std::string command_line_of(const Call& call) { return fmt::format("{}", fmt::join(call.command_line, " ")); }

ExitCode execute_diskspd(const Call& call) {
    Console& console = call.console;
    if (call.words.empty()) {
        console.add_result(help_text(*find_command({"diskspd"})));
        return kDiskspdWrong;
    }
    const ums::RealClock clock;
    const DiskspdArguments arguments = parse_diskspd(call.words, static_cast<std::uint32_t>(clock.now_ns() / 1'000'000));
    if (arguments.wants_usage) {
        console.add_result(help_text(*find_command({"diskspd"})));
        return ExitCode::ok;
    }
    for (const std::string& notice : arguments.notices) console.add_message(fmt::format("diskspd: {}\n", notice));
    DiskspdDocument document;
    document.profile = profile_of(arguments, console);
    document.profile.command_line = command_line_of(call);
    document.system = {.tool_version = fmt::format("ioproof {}", sim::kVersion),
                       .computer_name = ums::this_machine().host_name,
                       .start_utc_us = clock.utc_us(),
                       .topology = ums::processor_topology()};
    if (!arguments.profile.is_system_only) {
        for (reports::DiskspdTimeSpan& span : document.profile.time_spans) {
            name_diskspd_cpus(arguments, ums::this_machine().cpus, document.system.topology, span);
        }
        for (const std::string& warning : check_diskspd_profile(document.profile, arguments.verifies)) {
            console.add_message(fmt::format("diskspd: {}\n", warning));
        }
    }
    if (arguments.profile.is_system_only || document.profile.is_profile_only) return print_only(arguments, document, console);
    return run_diskspd(arguments, document, console);
}

constexpr std::array kDiskspdSwitches{
    Switch{.name = "verify",
           .help = "write and read ioproof's pages, and check each page that is read;\nwhere blocks or offsets are no multiples of 8K: "
                   "sectors of 512 bytes"},
    Switch{.name = "text-style", .value = "2.0|2.1|2.2", .help = "the text of this version, for scripts that read it (default: 2.2)"},
    Switch{.name = "overwrite-foreign-files",
           .help = "also write to files with other data, and to unused block devices.\nWhat they hold is destroyed for good"},
};

}  // namespace

Command diskspd_command() {
    return {.name = "diskspd",
            .operands = "[OPTIONS] TARGET…",
            .kind = Operand::files,
            .summary = "measure as Microsoft's DiskSpd does",
            .description =
                "Takes the command line of DiskSpd 2.2 and 2.3 and prints its text or its XML. Each option is one word with its value "
                "attached (-o8), and all come before the targets, which are files or block devices. When called as 'diskspd', the program "
                "takes the same without the word 'diskspd'.\n"
                "Foreign data is never overwritten: -w writes to files that ioproof has made and to files that hold nothing but zeros or "
                "DiskSpd's own filling. Anything else needs --overwrite-foreign-files.",
            .switches = kDiskspdSwitches,
            .options = kDiskspdOptions,
            .examples =
                "ioproof diskspd -c1G -d10 -r -b8K -o8 -t2 -w30 -Sh -L testfile.dat\n"
                "ioproof diskspd -b512K -d60 -o16 -t2 -si -Sh -L -D -Rxml /mnt/data/testfile.dat\n"
                "ioproof diskspd -Xprofile.xml -d30 /mnt/data/a.dat /mnt/data/b.dat",
            .exit_codes =
                "0 done\n"
                "1 a page was wrong, the storage failed, or it could not be done\n"
                "3 wrong usage, or refused because it could do harm",
            .execute = [](const Call& call) {
                try {
                    return execute_diskspd(call);
                } catch (const UsageError& error) {
                    call.console.add_message(fmt::format("diskspd: {}\n", error.what()));
                    return kDiskspdWrong;
                } catch (const sim::RefusedError& error) {
                    call.console.add_message(fmt::format("diskspd: {}\n", error.what()));
                    return kDiskspdWrong;
                } catch (const sim::EnvironmentError& error) {
                    call.console.add_message(fmt::format("diskspd: {}\n", error.what()));
                    return kDiskspdFailed;
                }
            }};
}

}  // namespace cli
