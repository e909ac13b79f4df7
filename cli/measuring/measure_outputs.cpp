#include "cli/measuring/measure_outputs.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/html_page.hpp"
#include "reports/json_text.hpp"
#include "reports/measure_csv.hpp"
#include "ums/base/printable.hpp"

namespace cli {

namespace {

reports::OutputKind measure_csv_kind() {
    return {.what = "CSV file",
            .refusal = "is not a CSV file of ioproof bench",
            .is_ours = [](std::string_view head) { return head.starts_with(reports::measure_csv_head()); },
            .takes_streams = true};
}

}  // namespace

std::vector<NamedFile> MeasurePaths::named() const {
    return {{.what = "--json", .path = json == "-" ? "" : json}, {.what = "--csv", .path = csv}, {.what = "--html", .path = html}};
}

MeasureOutputs::MeasureOutputs(const MeasurePaths& paths, std::string_view document) : json_(paths.json, document) {
    if (!paths.csv.empty()) csv_.emplace(measure_csv_kind(), paths.csv);
    if (!paths.html.empty()) html_.emplace(reports::html_kind(), paths.html);
}

void MeasureOutputs::keep_earlier(Console& console) {
    std::vector<std::string> kept;
    if (const std::optional<std::string> json = json_.keep_earlier()) kept.push_back(*json);
    for (std::optional<reports::OutputFile>* const file : {&csv_, &html_}) {
        if (!*file || !(*file)->has_previous_run()) continue;
        kept.push_back((*file)->path());
        file->reset();
    }
    if (kept.empty()) return;
    const std::string text = fmt::format("files of an earlier measurement, left as they were: {}", fmt::join(kept, ", "));
    console.add_message(fmt::format("{}\n", ums::printable(text)));
}

ExitCode MeasureOutputs::put(const nlohmann::ordered_json& document, Console& console, ExitCode code) {
    code = json_.put(reports::json_text(document), console, code);
    if (csv_) code = put_file(*csv_, reports::measure_csv(document), console, code);
    if (html_) code = put_file(*html_, reports::html_measurement(document), console, code);
    return code;
}

}  // namespace cli
