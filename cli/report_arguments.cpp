#include "cli/report_arguments.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/switch_words.hpp"
#include "cli/usage_error.hpp"

namespace cli {
namespace {

constexpr std::array kReportSwitches{
    Switch{.name = "html", .value = "FILE", .help = "as one page for a browser, which needs neither network nor other files"},
};

}  // namespace

Switches report_switches() { return kReportSwitches; }

ReportArguments parse_report(std::size_t file_count, const std::vector<std::string>& words) {
    ReportArguments arguments;
    SwitchWords typed = parse_words(kReportSwitches, words);
    for (const SwitchWord& word : typed.switches) arguments.html_path = word.value;
    arguments.files = std::move(typed.operands);
    if (arguments.files.size() != file_count) {
        throw UsageError(fmt::format("name {} (what 'ioproof run --json FILE' wrote); {} given",
                                     file_count == 1 ? "one results file" : "two results files, before and after", arguments.files.size()));
    }
    return arguments;
}

}  // namespace cli
