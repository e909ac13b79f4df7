#include "cli/result_files.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "config/ini_reader.hpp"
#include "config/options_writer.hpp"
#include "reports/html_page.hpp"
#include "reports/results_document.hpp"
#include "reports/results_json.hpp"

namespace cli {

namespace {

std::unique_ptr<reports::OutputFile> output(const char* what, const std::string& path, std::string_view mark) {
    return path.empty() ? nullptr : std::make_unique<reports::OutputFile>(what, path, mark);
}

// The configuration as a file would hold it.
std::vector<reports::RunFacts::Section> sections_of(const sim::Options& options) {
    config::Problems problems;
    const config::RawConfig raw = config::read_ini(config::write_options(options, config::Dialect::ini), "options", problems);
    std::vector<reports::RunFacts::Section> sections;
    for (const config::RawSection& section : raw.sections) {
        sections.push_back({section.name, {}});
        for (const config::RawEntry& entry : section.entries) sections.back().values.emplace_back(entry.key, entry.value.text);
    }
    return sections;
}

}  // namespace

ResultFiles::ResultFiles(const std::string& json_path, const std::string& html_path)
    : json_(output("JSON file", json_path, reports::kJsonMark)), html_(output("HTML file", html_path, reports::kHtmlMark)) {}

std::vector<std::string> ResultFiles::write(const sim::Results& results, const sim::Options& options, const std::string& repeat_command) {
    std::vector<std::string> failures;
    if (!json_ && !html_) return failures;
    const std::string json = reports::results_json(
        results, {.repeat_command = repeat_command, .log_path = options.error_file, .configuration = sections_of(options)});
    const auto write_one = [&](reports::OutputFile& file, const std::string& text) {
        if (auto failure = file.write(text)) failures.push_back(std::move(*failure));
    };
    if (json_) write_one(*json_, json);
    if (html_) write_one(*html_, reports::html_report(reports::parse_results(json, "results")));
    return failures;
}

}  // namespace cli
