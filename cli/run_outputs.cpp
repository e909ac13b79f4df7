#include "cli/run_outputs.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/configuration.hpp"
#include "cli/distinct_files.hpp"
#include "config/config.hpp"
#include "config/options_writer.hpp"
#include "reports/findings_file.hpp"
#include "reports/html_page.hpp"
#include "reports/json_text.hpp"
#include "reports/log_file.hpp"
#include "reports/output_file.hpp"
#include "reports/results_json.hpp"
#include "reports/xml_log.hpp"
#include "sim/backup/backup_files.hpp"
#include "sim/files/file_names.hpp"

namespace cli {
namespace {

std::unique_ptr<reports::OutputFile> output(reports::OutputKind kind, const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<reports::OutputFile>(std::move(kind), path);
}

// The configuration as a file would contain it.
std::vector<reports::RunFacts::Section> sections_of(const sim::Options& options) {
    std::vector<reports::RunFacts::Section> sections;
    for (const config::RawSection& section : config::listed_options(options)) {
        sections.push_back({section.name, {}});
        for (const config::RawEntry& entry : section.entries) sections.back().values.emplace_back(entry.key, entry.value.text);
    }
    return sections;
}

}  // namespace

reports::OutputKind configuration_kind() {
    return {.what = "configuration",
            .refusal = "was not written by -save",
            .is_ours = [](std::string_view head) { return config::is_saved_configuration(head); },
            .takes_streams = true};
}

std::vector<std::string> files_of_run(sim::Options options) {
    if (!is_about_left_files(options.job)) sim::add_tempdb_files(options);
    std::vector<std::string> paths;
    for (const sim::FileOptions& file : options.files) paths.push_back(file.path);
    for (const sim::FileOptions& file : sim::backup_files(options)) paths.push_back(file.path);
    return paths;
}

void check_run_outputs(const RunArguments& arguments, const sim::Options& options) {
    std::vector<NamedFile> files{{.what = "the configuration", .path = configuration_file(arguments).value_or(""), .is_written = false},
                                 {.what = "-save", .path = arguments.save_path},
                                 {.what = "the log", .path = options.error_file},
                                 {.what = "the log's style sheet", .path = reports::error_log_style_path(options.error_file)},
                                 {.what = "--findings", .path = arguments.findings_path},
                                 {.what = "--json", .path = arguments.json_path},
                                 {.what = "--html", .path = arguments.html_path},
                                 {.what = "--ledger", .path = arguments.ledger_path}};
    for (const std::string& path : files_of_run(options)) files.push_back({.what = "the test file", .path = path, .is_written = false});
    check_distinct(files);

    const auto check = [](const reports::OutputKind& kind, const std::string& path) {
        if (!path.empty()) reports::check_output(kind, path);
    };
    check(configuration_kind(), arguments.save_path);
    check(reports::log_kind(), options.error_file);
    check(reports::findings_kind(), arguments.findings_path);
    check(reports::json_kind(), arguments.json_path);
    check(reports::html_kind(), arguments.html_path);
}

ResultFiles::ResultFiles(const std::string& json_path, const std::string& html_path)
    : json_(output(reports::json_kind(), json_path)), html_(output(reports::html_kind(), html_path)) {}

std::vector<std::string> ResultFiles::earlier() const {
    std::vector<std::string> paths;
    for (const auto* file : {json_.get(), html_.get()}) {
        if (file != nullptr && file->has_previous_run()) paths.push_back(file->path());
    }
    return paths;
}

ResultsPatience ResultFiles::patience() const {
    using namespace std::chrono_literals;
    const bool have_streams = (json_ && json_->is_stream()) || (html_ && html_->is_stream());
    if (have_streams) return {24h, "--json, --html: could not be written within 24 h; the results are incomplete."};
    return {60s, "--json, --html: the disk has not answered for 60 s; the results are incomplete."};
}

std::vector<std::string> ResultFiles::write(const sim::Results& results, const sim::Options& options, const std::string& repeat_command,
                                            bool keep_previous) {
    std::vector<std::string> failures;
    const auto is_wanted = [&](const auto& file) { return file != nullptr && !(keep_previous && file->has_previous_run()); };
    if (!is_wanted(json_) && !is_wanted(html_)) return failures;
    const nlohmann::ordered_json document = reports::results_document(
        results, {.repeat_command = repeat_command, .log_path = options.error_file, .configuration = sections_of(options)});
    const auto write_one = [&](reports::OutputFile& file, const std::string& text) {
        if (auto failure = file.write(text)) failures.push_back(std::move(*failure));
    };
    if (is_wanted(json_)) write_one(*json_, reports::json_line(document));
    if (is_wanted(html_)) write_one(*html_, reports::html_report(document));
    return failures;
}

}  // namespace cli
