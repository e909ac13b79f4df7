#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <fstream>
#include <ios>
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

void show_run(const ReportArguments& arguments, const nlohmann::ordered_json& results, Console& console) {
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

bool is_of_group(const nlohmann::ordered_json& results) { return results.contains("group"); }

// Results that are shown as one, and what holds none.
struct LoadedResults {
    std::deque<nlohmann::ordered_json> documents;
    std::vector<reports::NamedResults> named;  // of `documents`
    std::vector<std::string> absent;           // "'rank-1.json' is empty"

    void add(const std::string& name, nlohmann::ordered_json document) {
        document.erase("text_report");  // of one host: large, and not needed here
        named.push_back({name, &documents.emplace_back(std::move(document))});
    }
    void add_absent(const std::string& name, std::string_view why) { absent.push_back(fmt::format("'{}' {}", ums::printable(name), why)); }
};

bool is_empty_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == 0;
}

// A run that was lost before it began leaves its results file empty, as it was when the run claimed it, or none. Only within a group the
// other results say which ranks and turns must exist, and whether such a loss was planned.
LoadedResults load_all(const FoundResults& found) {
    LoadedResults loaded;
    std::vector<std::string> empty_files;
    for (const std::string& path : found.files) {
        if (is_empty_file(path)) {
            empty_files.push_back(path);
        } else {
            loaded.add(path, load(path));
        }
    }
    const bool is_group = !loaded.documents.empty() && is_of_group(loaded.documents.front());
    for (const std::string& folder : found.empty_folders) {
        if (!is_group) throw UsageError(fmt::format("'{}': there is no results file in it whose name ends with .json", folder));
        loaded.add_absent(folder, "holds no results file");
    }
    for (const std::string& path : empty_files) {
        if (is_group) {
            loaded.add_absent(path, "is empty");
        } else {
            loaded.add(path, load(path));  // refuses it, unless it has been written by now
        }
    }
    return loaded;
}

// What a run of a group had written when it began, and never replaced. One that had a finding by then is a result.
bool is_unfinished(const reports::NamedResults& each) {
    const nlohmann::ordered_json& results = *each.results;
    return is_of_group(results) && results["run"].value("unfinished", false) && results["finding_count"] == 0;
}

void leave_out_unfinished(LoadedResults& loaded) {
    std::vector<reports::NamedResults>& all = loaded.named;
    reports::refuse_other_groups(all);  // also those that are left out: the others may be of an earlier group
    if (std::all_of(all.begin(), all.end(), is_unfinished)) return;
    for (const reports::NamedResults& each : all) {
        if (is_unfinished(each)) loaded.add_absent(each.name, "has no results");
    }
    std::erase_if(all, is_unfinished);
}

ExitCode show_all(const ReportArguments& arguments, LoadedResults loaded, Console& console) {
    leave_out_unfinished(loaded);
    for (const std::string& absent : loaded.absent) {
        console.add_message(absent + ": its run was lost, or is still running.\n");
    }
    const nlohmann::ordered_json group = reports::merged_results(loaded.named, sim::kVersion);
    JsonOutput json(arguments.json_path, reports::kMergedDocument);
    std::optional<reports::OutputFile> page;
    if (!arguments.html_path.empty()) page.emplace(reports::html_kind(), arguments.html_path);
    if (json.shows_text()) console.add_result(reports::merged_text(group));
    const ExitCode code = json.put(reports::json_text(group), console, code_of(group["verdict"].get<std::string>()));
    return page ? put_file(*page, reports::html_merged(group), console, code) : code;
}

ExitCode show(ReportArguments arguments, Console& console) {
    const FoundResults found = find_results(arguments.files);
    arguments.files = found.files;
    check_files(arguments);
    if (found.files.size() != 1 || !found.empty_folders.empty()) return show_all(arguments, load_all(found), console);
    const std::string& path = found.files[0];
    const std::string bytes = read_document(path);
    const bool is_measured = reports::is_measured_document(bytes);
    nlohmann::ordered_json results;
    if (!is_measured) results = reports::parse_results(bytes, path);
    // One result of a group is shown by itself if it is named by itself; otherwise the others of the group are missing.
    const bool is_by_itself = !found.has_folder && arguments.json_path.empty();
    if (!is_by_itself && is_of_group(results)) {
        LoadedResults only;
        only.add(path, std::move(results));
        return show_all(arguments, std::move(only), console);
    }
    if (!arguments.json_path.empty()) throw UsageError("--json is for several results files: one is such a document already");
    if (is_measured) {
        show_measured(arguments, bytes, console);
    } else {
        show_run(arguments, results, console);
    }
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
