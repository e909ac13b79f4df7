#include "cli/process/json_document.hpp"

#include <utility>

#include <fmt/format.h>

#include "reports/results_document.hpp"
#include "sim/errors.hpp"
#include "ums/base/input_file.hpp"
#include "ums/base/printable.hpp"

namespace cli {

JsonOutput::JsonOutput(const std::string& path, std::string_view document) : is_standard_output_(path == "-") {
    if (!is_standard_output_ && !path.empty()) file_.emplace(reports::json_kind(document), path);
}

std::optional<std::string> JsonOutput::keep_earlier() {
    if (!file_ || !file_->has_previous_run()) return std::nullopt;
    std::string path = file_->path();
    file_.reset();
    return path;
}

ExitCode JsonOutput::put(const std::string& json, Console& console, ExitCode code) {
    if (is_standard_output_) console.add_result(json);
    return file_ ? put_file(*file_, json, console, code) : code;
}

ExitCode put_file(reports::OutputFile& file, const std::string& text, Console& console, ExitCode code) {
    const auto failure = file.write(text);
    if (!failure) return code;
    console.add_message(fmt::format("ioproof: {}\n", ums::printable(*failure)));
    return code == ExitCode::ok ? ExitCode::environment : code;
}

std::string read_document(const std::string& path) {
    ums::InputFile file = ums::read_input_file(path, reports::kResultsBytesMax);
    if (file.problem.empty()) return std::move(file.bytes);
    const std::string text = fmt::format("'{}': {}.", path, file.problem);
    if (file.is_unfit) throw reports::ResultsDocumentError(text);
    throw sim::EnvironmentError(text);
}

}  // namespace cli
