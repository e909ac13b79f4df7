#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/process/console.hpp"
#include "cli/process/distinct_files.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/json_document.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/switch_words.hpp"
#include "cli/words/switches.hpp"
#include "reports/comparison.hpp"
#include "reports/html_page.hpp"
#include "reports/json_text.hpp"
#include "reports/measure_comparison.hpp"
#include "reports/measured_side.hpp"
#include "reports/merged_hosts.hpp"
#include "reports/merged_results.hpp"
#include "reports/output_door.hpp"
#include "reports/output_file.hpp"
#include "reports/results_document.hpp"
#include "reports/sweep_report.hpp"
#include "sim/errors.hpp"
#include "sim/version.hpp"
#include "ums/base/printable.hpp"

namespace cli {
namespace {

struct ReportArguments {
    std::vector<std::string> files;  // one for a report, or those of several hosts; two to compare
    std::string html_path;           // empty: none
    std::string json_path;           // empty: none; for several hosts or a comparison
};

// Each file takes some megabytes of memory.
constexpr std::size_t kReportFilesMax = 4096;

constexpr std::array kReportSwitches{
    Switch{.name = "html", .value = "FILE", .help = "as one page for a browser, which needs neither network nor other files"},
    Switch{.name = "json",
           .value = "FILE",
           .help = "of several results files: their sums, rows and verdict (docs/merged.schema.json);\n"
                   "'-' is standard output"},
};

constexpr std::array kComparisonSwitches{
    Switch{.name = "html", .value = "FILE", .help = "as one page for a browser, which needs neither network nor other files"},
    Switch{.name = "json", .value = "FILE", .help = "the comparison as JSON; '-': to the standard output, instead of the text"},
};

ReportArguments parsed(Switches switches, const std::vector<std::string>& words) {
    ReportArguments arguments;
    SwitchWords typed = parse_words(switches, words);
    for (const SwitchWord& word : typed.switches) (word.name == "html" ? arguments.html_path : arguments.json_path) = word.value;
    arguments.files = std::move(typed.operands);
    return arguments;
}

void refuse_count(std::string_view wanted, std::size_t count, std::string_view or_else = "") {
    throw UsageError(fmt::format("name {} (what 'ioproof run --json FILE' wrote{}); {} given", wanted, or_else, count));
}

// `words`: what follows "report" or "compare". Throw UsageError.
ReportArguments parse_report(const std::vector<std::string>& words) {
    ReportArguments arguments = parsed(kReportSwitches, words);
    const std::size_t count = arguments.files.size();
    if (count == 0) refuse_count("one results file, or those of several hosts", count);
    if (count > kReportFilesMax) refuse_count(fmt::format("at most {} results files", kReportFilesMax), count);
    return arguments;
}

ReportArguments parse_comparison(const std::vector<std::string>& words) {
    ReportArguments arguments = parsed(kComparisonSwitches, words);
    if (arguments.files.size() != 2) refuse_count("two results files, before and after", arguments.files.size(), ", or bench, or sweep");
    return arguments;
}

nlohmann::ordered_json load(const std::string& path) { return reports::parse_results(read_document(path), path); }

// What an earlier call has made of the results, perhaps in their folder.
bool is_merged_report(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    std::string head(reports::kHeadBytes, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    return reports::json_kind(reports::kMergedDocument).is_ours(head);
}

struct FoundResults {
    std::vector<std::string> files;
    std::vector<std::string> empty_folders;
    bool has_folder = false;
};

// A folder stands for the results files in it, in the order of their names: those of the turns of a hand-over, or of the ranks of a group.
FoundResults find_results(const std::vector<std::string>& operands) {
    namespace fs = std::filesystem;
    FoundResults results;
    for (const std::string& operand : operands) {
        std::error_code error;
        if (!fs::is_directory(operand, error)) {
            results.files.push_back(operand);
            continue;
        }
        results.has_folder = true;
        std::vector<std::string> found;
        for (auto entry = fs::directory_iterator(operand, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
            if (entry->path().extension() == ".json" && !is_merged_report(entry->path())) found.push_back(entry->path().string());
        }
        if (error) throw sim::EnvironmentError(fmt::format("'{}': cannot be read: {}.", operand, error.message()));
        if (found.empty()) results.empty_folders.push_back(operand);
        std::sort(found.begin(), found.end());
        results.files.insert(results.files.end(), found.begin(), found.end());
    }
    if (results.files.size() > kReportFilesMax)
        throw UsageError(fmt::format("at most {} results files, {} are there", kReportFilesMax, results.files.size()));
    return results;
}

void check_files(const ReportArguments& arguments) {
    std::vector<NamedFile> files{{.what = "--html", .path = arguments.html_path}};
    if (arguments.json_path != "-") files.push_back({.what = "--json", .path = arguments.json_path});
    for (const std::string& file : arguments.files) files.push_back({.what = "the results", .path = file, .is_written = false});
    check_distinct(files);
}

void write_page(const std::string& path, const std::string& html) {
    reports::OutputFile file(reports::html_kind(), path);
    if (const auto failure = file.write(html)) throw sim::EnvironmentError(*failure);
}

// What bench or sweep wrote.
void show_measured(const ReportArguments& arguments, const std::string& bytes, Console& console) {
    const std::string& name = arguments.files[0];
    const nlohmann::ordered_json document = reports::read_measured_document(bytes, name);
    const bool is_sweep = document["document"] == reports::kSweepDocument;
    const nlohmann::ordered_json shown = is_sweep ? reports::sweep_anew(document, name) : document;
    if (!arguments.html_path.empty()) {
        write_page(arguments.html_path, is_sweep ? reports::html_sweep(shown) : reports::html_measurement(shown));
    } else if (is_sweep) {
        console.add_result(reports::sweep_text(shown));
    } else if (shown.contains("text_report") && shown["text_report"].is_string()) {
        console.add_result(ums::printable_lines(shown["text_report"].get<std::string>()));
    } else {
        throw reports::ResultsDocumentError(
            fmt::format("'{}': holds no text, because an earlier version wrote it; --html FILE makes a page of it.", ums::printable(name)));
    }
}

void show_one(const ReportArguments& arguments, Console& console) {
    const std::string bytes = read_document(arguments.files[0]);
    if (reports::is_measured_document(bytes)) {
        show_measured(arguments, bytes, console);
        return;
    }
    const nlohmann::ordered_json results = reports::parse_results(bytes, arguments.files[0]);
    if (arguments.html_path.empty()) {
        console.add_result(reports::text_report_of(results));
    } else {
        write_page(arguments.html_path, reports::html_report(results));
    }
}

// The exit code of a run with this verdict.
ExitCode code_of(const std::string& verdict) {
    if (verdict == "PASS") return ExitCode::ok;
    return verdict == "FAIL" ? ExitCode::integrity : ExitCode::environment;
}

// A run that was lost before it began leaves its results file empty, as it was when the run claimed it.
bool is_unwritten(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == 0;
}

// The first result that was written says it. Those of a group say which ranks and turns must exist; nothing says that about independent
// runs.
bool are_of_group(const std::vector<std::string>& files) {
    const auto written = std::find_if_not(files.begin(), files.end(), is_unwritten);
    if (written == files.end()) return false;
    const std::string bytes = read_document(*written);
    return !reports::is_measured_document(bytes) && reports::parse_results(bytes, *written).contains("group");
}

// Leaves out empty files only within a group.
void pass_over_unwritten(std::vector<std::string>& files, Console& console) {
    std::vector<std::string> written;
    for (const std::string& path : files) {
        if (!is_unwritten(path)) written.push_back(path);
    }
    if (written.empty() || written.size() == files.size() || !are_of_group(written)) return;
    for (const std::string& path : files) {
        if (!is_unwritten(path)) continue;
        console.add_message(fmt::format("'{}' is empty: its run was lost, or is still running.\n", ums::printable(path)));
    }
    files = std::move(written);
}

// What a run of a group had written when it began, and never replaced. One that had a finding by then is a result.
bool is_unfinished(const nlohmann::ordered_json& results) {
    return results.contains("group") && results["run"].value("unfinished", false) && results["finding_count"] == 0;
}

// Leaves those out for the same reason: whether such a loss was planned is known to the others.
std::vector<reports::NamedResults> without_unfinished(const std::vector<reports::NamedResults>& all, Console& console) {
    std::vector<reports::NamedResults> ended;
    std::copy_if(all.begin(), all.end(), std::back_inserter(ended),
                 [](const reports::NamedResults& each) { return !is_unfinished(*each.results); });
    if (ended.empty()) return all;
    for (const reports::NamedResults& each : all) {
        if (!is_unfinished(*each.results)) continue;
        console.add_message(fmt::format("'{}' has no results: its run was lost, or is still running.\n", ums::printable(each.name)));
    }
    return ended;
}

ExitCode show_all(ReportArguments arguments, Console& console) {
    pass_over_unwritten(arguments.files, console);
    std::vector<nlohmann::ordered_json> results;
    for (const std::string& path : arguments.files) {
        results.push_back(load(path));
        results.back().erase("text_report");  // of one host: large, and not needed here
    }
    std::vector<reports::NamedResults> all;
    for (std::size_t i = 0; i < results.size(); ++i) all.push_back({arguments.files[i], &results[i]});
    reports::refuse_other_groups(all);  // also those that are left out now: the others may be of an earlier group
    all = without_unfinished(all, console);
    const nlohmann::ordered_json group = reports::merged_results(all, sim::kVersion);
    JsonOutput json(arguments.json_path, reports::kMergedDocument);
    std::optional<reports::OutputFile> page;
    if (!arguments.html_path.empty()) page.emplace(reports::html_kind(), arguments.html_path);
    if (json.shows_text()) console.add_result(reports::merged_text(group));
    const ExitCode code = json.put(reports::json_text(group), console, code_of(group["verdict"].get<std::string>()));
    return page ? put_file(*page, reports::html_merged(group), console, code) : code;
}

// A host of a group that was lost may have left no result, and others only one.
void pass_over_empty_folders(const FoundResults& found, bool is_group, Console& console) {
    for (const std::string& folder : found.empty_folders) {
        if (!is_group) throw UsageError(fmt::format("'{}': there is no results file in it whose name ends with .json", folder));
        console.add_message(fmt::format("'{}' holds no results file: its run was lost, or is still running.\n", ums::printable(folder)));
    }
}

ExitCode show(ReportArguments arguments, Console& console) {
    const FoundResults found = find_results(arguments.files);
    arguments.files = found.files;
    const bool is_one = arguments.files.size() == 1;
    // One result of a group is shown by itself if it is named by itself; otherwise the others of the group are missing.
    const bool is_one_of_many = is_one && (found.has_folder || !arguments.json_path.empty());
    const bool is_group = (is_one_of_many || !found.empty_folders.empty()) && are_of_group(arguments.files);
    pass_over_empty_folders(found, is_group, console);
    if (is_one && !is_group && !arguments.json_path.empty()) {
        throw UsageError("--json is for several results files: one is such a document already");
    }
    check_files(arguments);
    if (!is_one || is_group) return show_all(std::move(arguments), console);
    show_one(arguments, console);
    return ExitCode::ok;
}

// A page that is refused must not cost the JSON of an earlier comparison, so both are opened before either is written.
ExitCode put_comparison(const ReportArguments& arguments, const nlohmann::ordered_json& comparison, const std::string& text,
                        std::string (*html_of)(const nlohmann::ordered_json&), Console& console) {
    JsonOutput json(arguments.json_path, reports::kComparisonDocument);
    std::optional<reports::OutputFile> page;
    if (!arguments.html_path.empty()) page.emplace(reports::html_kind(), arguments.html_path);
    if (json.shows_text()) console.add_result(text);
    const ExitCode code = json.put(reports::json_text(comparison), console, ExitCode::ok);
    return page ? put_file(*page, html_of(comparison), console, code) : code;
}

ExitCode compare_runs(const ReportArguments& arguments, const std::string& before, const std::string& after, Console& console) {
    const std::string& name_before = arguments.files[0];
    const std::string& name_after = arguments.files[1];
    const nlohmann::ordered_json comparison = reports::compare_results(reports::parse_results(before, name_before), name_before,
                                                                       reports::parse_results(after, name_after), name_after);
    return put_comparison(arguments, comparison, reports::comparison_text(comparison), reports::html_comparison, console);
}

ExitCode compare(const ReportArguments& arguments, Console& console) {
    check_files(arguments);
    const std::string before = read_document(arguments.files[0]);
    const std::string after = read_document(arguments.files[1]);
    if (!reports::is_measured_document(before) && !reports::is_measured_document(after)) {
        return compare_runs(arguments, before, after, console);
    }
    const nlohmann::ordered_json comparison = reports::compare_measurements(reports::read_measured_side(before, arguments.files[0]),
                                                                            reports::read_measured_side(after, arguments.files[1]));
    return put_comparison(arguments, comparison, reports::measure_comparison_text(comparison), reports::html_measure_comparison, console);
}

}  // namespace

Command report_command() {
    return {.name = "report",
            .operands = "FILE…",
            .kind = Operand::files,
            .summary = "show results of --json, those of several hosts as one",
            .description =
                "Prints the results of an earlier run, measurement (bench) or sweep as the text that it printed at its end; with --html, "
                "writes them as one self-contained page. Several results files, of the ranks of a group or of independent runs, are shown "
                "as one result: a row for each host, exact sums, all findings by time, and one verdict. A folder stands for the *.json in "
                "it; if that is only one, of a group, the others are missing. The verdict is FAIL if one is, and INCOMPLETE if a rank did "
                "not come back.",
            .switches = kReportSwitches,
            .examples =
                "ioproof report results.json\nioproof report results.json --html results.html\n"
                "ioproof report oltp.json --html oltp.html\n"
                "ioproof report rank-*.json --html all.html --json all.json",
            .exit_codes =
                "0 done; of several files, or a group: PASS\n1 of several files, or a group: FAIL\n2 wrong usage, not a results file, or "
                "files that are not one result\n3 a file cannot be read or written; of several files, or a group: INCOMPLETE",
            .execute = [](const Call& call) { return show(parse_report(call.words), call.console); }};
}

Command compare_command() {
    return {.name = "compare",
            .operands = "BEFORE AFTER",
            .kind = Operand::files,
            .summary = "two results or measurements side by side: before and after",
            .description =
                "Shows what differs between two results that runs wrote with --json, or two measurements of bench, or two sweeps. "
                "Differences that exceed the noise are marked. Noise is how much a figure varies within each of the two main runs; of "
                "measurements, from round to round (bench --repeat).",
            .switches = kComparisonSwitches,
            .examples =
                "ioproof compare before.json after.json\nioproof compare before.json after.json --html difference.html\n"
                "ioproof compare oltp-old.json oltp-new.json --html difference.html --json difference.json",
            .exit_codes = "0 done, whatever differs\n2 wrong usage, or not such files\n3 a file cannot be read or written",
            .execute = [](const Call& call) { return compare(parse_comparison(call.words), call.console); }};
}

}  // namespace cli
