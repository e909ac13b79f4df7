#include "cli/report_command.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/distinct_files.hpp"
#include "cli/report_arguments.hpp"
#include "reports/comparison.hpp"
#include "reports/html_page.hpp"
#include "reports/output_file.hpp"
#include "reports/results_document.hpp"
#include "sim/errors.hpp"
#include "ums/base/input_file.hpp"

namespace cli {
namespace {

nlohmann::ordered_json load(const std::string& path) {
    const ums::InputFile file = ums::read_input_file(path, reports::kResultsBytesMax);
    if (file.problem.empty()) return reports::parse_results(file.bytes, path);
    const std::string text = fmt::format("'{}': {}.", path, file.problem);
    if (file.is_unfit) throw reports::ResultsDocumentError(text);
    throw sim::EnvironmentError(text);
}

void check_files(const ReportArguments& arguments) {
    std::vector<NamedFile> files{{.what = "--html", .path = arguments.html_path}};
    for (const std::string& file : arguments.files) files.push_back({.what = "the results", .path = file, .is_written = false});
    check_distinct(files);
}

void write_page(const std::string& path, const std::string& html) {
    reports::OutputFile file(reports::html_kind(), path);
    if (const auto failure = file.write(html)) throw sim::EnvironmentError(*failure);
}

void show(const ReportArguments& arguments, Console& console) {
    check_files(arguments);
    const nlohmann::ordered_json results = load(arguments.files[0]);
    if (arguments.html_path.empty()) {
        console.add_result(reports::text_report_of(results));
    } else {
        write_page(arguments.html_path, reports::html_report(results));
    }
}

void compare(const ReportArguments& arguments, Console& console) {
    check_files(arguments);
    const nlohmann::ordered_json before = load(arguments.files[0]);
    const nlohmann::ordered_json after = load(arguments.files[1]);
    const nlohmann::ordered_json comparison = reports::compare_results(before, arguments.files[0], after, arguments.files[1]);
    console.add_result(reports::comparison_text(comparison));
    if (!arguments.html_path.empty()) write_page(arguments.html_path, reports::html_comparison(comparison));
}

}  // namespace

Command report_command() {
    return {.name = "report",
            .operands = "FILE",
            .kind = Operand::files,
            .summary = "show the results that a run wrote with --json",
            .description =
                "Prints the results of an earlier run as the text that stood at its end; with --html, writes them as one "
                "self-contained page.",
            .switches = report_switches(),
            .examples = "ioproof report results.json\nioproof report results.json --html results.html",
            .exit_codes = "0 done\n2 wrong usage, or not a results file\n3 a file cannot be read or written",
            .execute = [](const Call& call) {
                show(parse_report(1, call.words), call.console);
                return ExitCode::ok;
            }};
}

Command compare_command() {
    return {.name = "compare",
            .operands = "BEFORE AFTER",
            .kind = Operand::files,
            .summary = "two results side by side: before and after",
            .description =
                "Shows what differs between two results that runs wrote with --json. Differences that exceed the noise, which is "
                "how much a figure varies within each of the two main runs, are marked.",
            .switches = report_switches(),
            .examples = "ioproof compare before.json after.json\nioproof compare before.json after.json --html difference.html",
            .exit_codes = "0 done, whatever differs\n2 wrong usage, or not a results file\n3 a file cannot be read or written",
            .execute = [](const Call& call) {
                compare(parse_report(2, call.words), call.console);
                return ExitCode::ok;
            }};
}

}  // namespace cli
