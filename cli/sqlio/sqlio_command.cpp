#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/measuring/measuring.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/sqlio/sqlio_arguments.hpp"
#include "cli/sqlio/sqlio_options.hpp"
#include "cli/sqlio/sqlio_specification.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/help_text.hpp"
#include "sim/errors.hpp"
#include "ums/base/input_file.hpp"
#include "ums/base/machine.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {
namespace {

constexpr ExitCode kSqlioWrong{3};
constexpr ExitCode kSqlioFailed{1};
constexpr std::size_t kParameterBytesMax = std::size_t{1} << 20;

std::vector<bool> missing_files(const SqlioArguments& arguments) {
    ums::PosixStorage storage;
    std::vector<bool> missing;
    for (const SqlioFile& file : arguments.files) {
        ums::FileStatus status;
        if (const auto error = storage.status(file.path, status)) {
            throw sim::EnvironmentError(fmt::format("{}: cannot be examined: {}", file.path, error.message()));
        }
        if (file.is_raw && status.kind != ums::FileKind::block_device) {
            throw UsageError(fmt::format("-R: {}: {}", file.path,
                                         status.kind == ums::FileKind::missing ? "there is no such device" : "is not a block device"));
        }
        missing.push_back(status.kind == ums::FileKind::missing);
    }
    return missing;
}

ExitCode execute_sqlio(const Call& call) {
    Console& console = call.console;
    SqlioArguments arguments = parse_sqlio(call.words);
    if (arguments.wants_usage) {
        console.add_result(help_text(*find_command({"sqlio"})));
        return ExitCode::ok;
    }
    if (!arguments.parameter_path.empty()) {
        const ums::InputFile input = ums::read_input_file(arguments.parameter_path, kParameterBytesMax);
        if (!input.problem.empty()) throw UsageError(fmt::format("{}: {}", arguments.parameter_path, input.problem));
        add_sqlio_parameters(arguments, input.bytes, arguments.parameter_path);
    }
    for (const std::string& notice : arguments.notices) console.add_message(fmt::format("sqlio: {}\n", notice));
    for (const std::string& warning : sqlio_warnings(arguments)) console.add_message(fmt::format("sqlio: {}\n", warning));
    sim::MeasureSpec spec = sqlio_specification(arguments, missing_files(arguments));
    check_cpus("-p, -a", spec.timespans.front().affinity, ums::this_machine().cpus);
    if (const std::string problem = sim::check_measure_spec(spec); !problem.empty()) throw UsageError(problem);
    allow_empty_targets(spec);
    const sim::MeasureResults results = run_measurement(spec, console, [](const sim::MeasureProgress&) {});
    if (const std::string text = engine_messages(results, "sqlio"); !text.empty()) console.add_message(text);
    if (const std::string text = hole_messages(results, "sqlio"); !text.empty()) console.add_message(text);
    // Scripts would take "IOs/sec: 0.00" for a result.
    const bool has_figures = !results.timespans.empty() && results.timespans.front().duration_ns > 0;
    if (has_figures) console.add_result(reports::sqlio_text(sqlio_head(arguments), results.timespans.front()));
    if (!has_figures && results.stopped) console.add_message("sqlio: stopped before the measurement began; nothing was measured\n");
    if (!results.failure_reason.empty()) console.add_message(fmt::format("sqlio: {}\n", results.failure_reason));
    return has_figures && results.finding_count == 0 && results.failure_reason.empty() ? ExitCode::ok : kSqlioFailed;
}

constexpr std::array kSqlioSwitches{
    Switch{.name = "drive",
           .value = "LETTER=DIR",
           .repeatable = true,
           .help = "what a drive of -d, or in the name of a file, stands for, as in L=/mnt/data;\nfor -R a block device"},
    Switch{.name = "overwrite-foreign-files",
           .help = "also write to files with other data, and to unused block devices.\nWhat they hold is destroyed for good"},
};

}  // namespace

Command sqlio_command() {
    return {
        .name = "sqlio",
        .operands = "[OPTIONS] [FILE…]",
        .kind = Operand::files,
        .summary = "measure as Microsoft's SQLIO does",
        .description =
            "Takes the command line of SQLIO 1.5 and prints its text, line by line in its places. Each option is one word with its value "
            "attached (-o8); without a file it is testfile.dat. A missing file is created, large enough for the strides. When called as "
            "'sqlio', the program takes the same without the word 'sqlio'.\n"
            "Foreign data is never overwritten: -kW writes to files that ioproof has made and to files that hold nothing but zeros. "
            "Anything else needs --overwrite-foreign-files.",
        .switches = kSqlioSwitches,
        .options = kSqlioOptions,
        .examples =
            "ioproof sqlio -kR -s10 -frandom -b8 -t8 -o16 -LS -BN testfile.dat\n"
            "ioproof sqlio -kW -s60 -fsequential -b64 -t2 -o8 -LS -BN -Fparam.txt\n"
            "ioproof sqlio -dL -BH -kW -frandom -t1 -o1 -s90 -b64 --drive L=/mnt/data testfile.dat",
        .exit_codes =
            "0 done\n"
            "1 the storage failed, or it could not be done\n"
            "3 wrong usage, or refused because it could do harm",
        .execute = [](const Call& call) {
            try {
                return execute_sqlio(call);
            } catch (const UsageError& error) {
                call.console.add_message(fmt::format("sqlio: {}\n", error.what()));
                return kSqlioWrong;
            } catch (const sim::RefusedError& error) {
                call.console.add_message(fmt::format("sqlio: {}\n", error.what()));
                return kSqlioWrong;
            } catch (const sim::EnvironmentError& error) {
                call.console.add_message(fmt::format("sqlio: {}\n", error.what()));
                return kSqlioFailed;
            }
        }};
}

}  // namespace cli
