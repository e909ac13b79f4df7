// A results file that was read back (see results_json.hpp), from which reports are made later.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace reports {

// The message says which file, what is wrong with it, and what is expected.
class ResultsDocumentError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Larger files are not read: a run's results take a few megabytes, and with thousands of files and findings a few tens.
inline constexpr std::size_t kResultsBytesMax = 128UL * 1024 * 1024;

// Parses the text of a results file; `name` is for messages. Throws ResultsDocumentError if it is not such a file, or has a newer format.
// The result conforms to docs/results.schema.json, and its columns have a value for each interval, so reports need not check.
nlohmann::ordered_json parse_results(std::string_view text, const std::string& name);

// The report that was printed at the end of the run.
std::string text_report_of(const nlohmann::ordered_json& results);

}  // namespace reports
