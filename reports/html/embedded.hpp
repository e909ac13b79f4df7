// What pages of results and the log's style sheet are made of; put into the program when it is built (cmake/embedded_files.cmake).
#pragma once

#include <string_view>

namespace reports::embedded {

extern const std::string_view kChartScript;  // Chart.js, MIT licence, its notice within
extern const std::string_view kStyle;
extern const std::string_view kCommonScript;
extern const std::string_view kReportScript;
extern const std::string_view kCompareScript;
extern const std::string_view kErrorLogStyle;

}  // namespace reports::embedded
