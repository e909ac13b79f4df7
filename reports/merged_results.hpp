// Several results files as one: a row for each host, exact sums, one verdict, one time axis. For the ranks of a group (`run --group`), or
// for independent runs. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reports {

// What parse_results() read from a file, and the file's name.
struct NamedResults {
    std::string name;
    const nlohmann::ordered_json* results = nullptr;
};

inline constexpr std::string_view kMergedDocument = "ioproof merged report";

// The document of `report --json` (docs/merged.schema.json). Throws ResultsDocumentError if the files do not belong together, or if one is
// given twice or cannot be added exactly.
nlohmann::ordered_json merged_results(const std::vector<NamedResults>& all, std::string_view program_version);

// The text for a terminal.
std::string merged_text(const nlohmann::ordered_json& group);

}  // namespace reports
