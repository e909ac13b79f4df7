#include "cli/report_arguments.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/switch_words.hpp"
#include "cli/usage_error.hpp"

namespace cli {
namespace {

constexpr std::array kReportSwitches{
    Switch{.name = "html", .value = "FILE", .help = "as one page for a browser, which needs neither network nor other files"},
    Switch{.name = "json",
           .value = "FILE",
           .help = "of several results files: their sums, rows and verdict (docs/merged.schema.json);\n"
                   "'-' is standard output"},
};

constexpr std::array kComparisonSwitches{
    Switch{.name = "html", .value = "FILE", .help = "as one page for a browser, which needs neither network nor other files"},
    Switch{.name = "json", .value = "FILE", .help = "the comparison as JSON; '-': to the standard output, instead of the text"},
};

ReportArguments parsed(Switches switches, const std::vector<std::string>& words) {
    ReportArguments arguments;
    SwitchWords typed = parse_words(switches, words);
    for (const SwitchWord& word : typed.switches) (word.name == "html" ? arguments.html_path : arguments.json_path) = word.value;
    arguments.files = std::move(typed.operands);
    return arguments;
}

void refuse_count(std::string_view wanted, std::size_t count, std::string_view or_else = "") {
    throw UsageError(fmt::format("name {} (what 'ioproof run --json FILE' wrote{}); {} given", wanted, or_else, count));
}

}  // namespace

Switches report_switches() { return kReportSwitches; }
Switches comparison_switches() { return kComparisonSwitches; }

ReportArguments parse_report(const std::vector<std::string>& words) {
    ReportArguments arguments = parsed(kReportSwitches, words);
    const std::size_t count = arguments.files.size();
    if (count == 0) refuse_count("one results file, or those of several hosts", count);
    if (count > kReportFilesMax) refuse_count(fmt::format("at most {} results files", kReportFilesMax), count);
    return arguments;
}

ReportArguments parse_comparison(const std::vector<std::string>& words) {
    ReportArguments arguments = parsed(kComparisonSwitches, words);
    if (arguments.files.size() != 2) refuse_count("two results files, before and after", arguments.files.size(), ", or bench, or sweep");
    return arguments;
}

}  // namespace cli
