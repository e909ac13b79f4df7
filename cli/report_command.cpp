#include "cli/report_command.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include <fmt/format.h>

#include "reports/comparison.hpp"
#include "reports/html_page.hpp"
#include "reports/output_file.hpp"
#include "reports/results_document.hpp"
#include "sim/errors.hpp"

namespace cli {
namespace {

nlohmann::ordered_json load(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file || file.bad()) {
        const std::string reason = errno != 0 ? std::generic_category().message(errno) : "it cannot be read";
        throw sim::EnvironmentError(fmt::format("'{}': {}.", path, reason));
    }
    return reports::parse_results(text, path);
}

void write_page(const std::string& path, const std::string& html) {
    reports::OutputFile file("HTML file", path, reports::kHtmlMark);
    if (const auto failure = file.write(html)) throw sim::EnvironmentError(*failure);
}

}  // namespace

void report_command(const ReportArguments& arguments, Console& console) {
    const nlohmann::ordered_json results = load(arguments.files[0]);
    if (arguments.html_path.empty()) {
        console.add_result(reports::text_report_of(results));
    } else {
        write_page(arguments.html_path, reports::html_report(results));
    }
}

void compare_command(const ReportArguments& arguments, Console& console) {
    const nlohmann::ordered_json before = load(arguments.files[0]);
    const nlohmann::ordered_json after = load(arguments.files[1]);
    const nlohmann::ordered_json comparison = reports::compare_results(before, arguments.files[0], after, arguments.files[1]);
    console.add_result(reports::comparison_text(comparison));
    if (!arguments.html_path.empty()) write_page(arguments.html_path, reports::html_comparison(comparison));
}

}  // namespace cli
