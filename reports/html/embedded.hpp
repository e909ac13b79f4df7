// The parts of result pages, the log's style sheet, and the schema for reading results files, which the build embeds into the program
// (cmake/embedded_files.cmake).
#pragma once

#include <string_view>

namespace reports::embedded {

extern const std::string_view kChartScript;  // Chart.js, MIT license, which includes its notice
extern const std::string_view kStyle;
extern const std::string_view kCommonScript;
extern const std::string_view kReportScript;
extern const std::string_view kCompareScript;
extern const std::string_view kCompareMeasuredScript;
extern const std::string_view kMeasurementScript;
extern const std::string_view kMergedScript;
extern const std::string_view kPowertestScript;
extern const std::string_view kSweepScript;
// The hashes by which a Content-Security-Policy allows them: "sha256-...".
extern const std::string_view kChartScriptHash;
extern const std::string_view kCommonScriptHash;
extern const std::string_view kReportScriptHash;
extern const std::string_view kCompareScriptHash;
extern const std::string_view kCompareMeasuredScriptHash;
extern const std::string_view kMeasurementScriptHash;
extern const std::string_view kMergedScriptHash;
extern const std::string_view kPowertestScriptHash;
extern const std::string_view kSweepScriptHash;
extern const std::string_view kErrorLogStyle;
extern const std::string_view kResultsSchema;  // docs/results.schema.json

}  // namespace reports::embedded
