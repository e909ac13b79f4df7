// A document of an earlier run or measurement, as a command was given it.
#pragma once

#include <string>

namespace cli {

// The file's bytes. Throws reports::ResultsDocumentError if it is none that could be read as a document, sim::EnvironmentError if it cannot
// be read.
[[nodiscard]] std::string read_document(const std::string& path);

}  // namespace cli
