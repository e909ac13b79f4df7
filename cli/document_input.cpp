#include "cli/document_input.hpp"

#include <utility>

#include <fmt/format.h>

#include "reports/results_document.hpp"
#include "sim/errors.hpp"
#include "ums/base/input_file.hpp"

namespace cli {

std::string read_document(const std::string& path) {
    ums::InputFile file = ums::read_input_file(path, reports::kResultsBytesMax);
    if (file.problem.empty()) return std::move(file.bytes);
    const std::string text = fmt::format("'{}': {}.", path, file.problem);
    if (file.is_unfit) throw reports::ResultsDocumentError(text);
    throw sim::EnvironmentError(text);
}

}  // namespace cli
