#include "cli/json_output.hpp"

#include "reports/json_text.hpp"
#include "sim/errors.hpp"

namespace cli {

JsonOutput::JsonOutput(const std::string& path, std::string_view document) : is_standard_output_(path == "-") {
    if (!is_standard_output_ && !path.empty()) file_.emplace("JSON file", path, reports::json_mark(document));
}

void JsonOutput::put(const std::string& json, Console& console) {
    if (is_standard_output_) console.add_result(json);
    if (!file_) return;
    if (const auto failure = file_->write(json)) throw sim::EnvironmentError(*failure);
}

}  // namespace cli
