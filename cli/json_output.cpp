#include "cli/json_output.hpp"

#include <fmt/format.h>

#include "ums/base/printable.hpp"

namespace cli {

JsonOutput::JsonOutput(const std::string& path, std::string_view document) : is_standard_output_(path == "-") {
    if (!is_standard_output_ && !path.empty()) file_.emplace(reports::json_kind(document), path);
}

ExitCode JsonOutput::put(const std::string& json, Console& console, ExitCode code) {
    if (is_standard_output_) console.add_result(json);
    const auto failure = file_ ? file_->write(json) : std::nullopt;
    if (!failure) return code;
    console.add_message(fmt::format("ioproof: {}\n", ums::printable(*failure)));
    return code == ExitCode::ok ? ExitCode::environment : code;
}

}  // namespace cli
