#include "cli/run/run_outputs.hpp"

#include <new>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/process/distinct_files.hpp"
#include "cli/process/stop_signals.hpp"
#include "cli/run/configuration.hpp"
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

using namespace std::chrono_literals;

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

ResultFiles::ResultFiles(const std::string& json_path, const std::string& html_path, const sim::Options& options,
                         const std::string& repeat_command)
    : json_(output(reports::json_kind(), json_path)),
      html_(output(reports::html_kind(), html_path)),
      options_(options),
      repeat_command_(repeat_command) {}

std::vector<std::string> ResultFiles::earlier() const {
    std::vector<std::string> paths;
    for (const auto* file : {json_.get(), html_.get()}) {
        if (file != nullptr && file->has_previous_run()) paths.push_back(file->path());
    }
    return paths;
}

void ResultFiles::begin(const sim::Results& unfinished) {
    const auto chosen = [](reports::OutputFile* file) { return file != nullptr && !file->is_stream() ? file : nullptr; };
    static_cast<void>(write_patiently(chosen(json_.get()), chosen(html_.get()), unfinished, 1s));
}

ResultsPatience ResultFiles::patience() const {
    const bool have_streams = (json_ && json_->is_stream()) || (html_ && html_->is_stream());
    if (have_streams) return {24h, "--json, --html: could not be written within 24 h; the results are incomplete."};
    return {60s, "--json, --html: the disk has not answered for 60 s; the results are incomplete."};
}

std::vector<std::string> ResultFiles::write(const sim::Results& results, bool keep_previous, const ResultsPatience& patience) {
    const auto chosen = [&](reports::OutputFile* file) {
        return file != nullptr && !(keep_previous && file->has_previous_run()) ? file : nullptr;
    };
    is_stuck_ = !thread_.wait(patience.limit);  // for begin()
    if (is_stuck_) return {std::string(patience.complaint)};
    const auto failures = write_patiently(chosen(json_.get()), chosen(html_.get()), results, patience.limit);
    is_stuck_ = !failures;
    return is_stuck_ ? std::vector<std::string>{std::string(patience.complaint)} : *failures;
}

std::optional<std::vector<std::string>> ResultFiles::write_patiently(reports::OutputFile* json, reports::OutputFile* html,
                                                                     const sim::Results& results, std::chrono::milliseconds patience) {
    const auto failures = std::make_shared<std::vector<std::string>>();
    if (json == nullptr && html == nullptr) return *failures;
    const auto is_done = thread_.call(
        [this, json, html, results, failures] {
            try {
                *failures = write_to(json, html, results);
            } catch (const std::bad_alloc&) {
                end_without_memory();
            }
        },
        patience);
    return is_done ? std::optional(*failures) : std::nullopt;
}

std::vector<std::string> ResultFiles::write_to(reports::OutputFile* json, reports::OutputFile* html, const sim::Results& results) {
    std::vector<std::string> failures;
    const nlohmann::ordered_json document = reports::results_document(
        results, {.repeat_command = repeat_command_, .log_path = options_.error_file, .configuration = sections_of(options_)});
    const auto write_one = [&](reports::OutputFile& file, const std::string& text) {
        if (auto failure = file.write(text)) failures.push_back(std::move(*failure));
    };
    if (json != nullptr) write_one(*json, reports::json_line(document));
    if (html != nullptr) write_one(*html, reports::html_report(document));
    return failures;
}

}  // namespace cli
