#include "cli/report_arguments.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/help_text.hpp"
#include "cli/switch_words.hpp"
#include "cli/usage_error.hpp"

namespace cli {
namespace {

constexpr std::array kReportSwitches{
    Switch{.name = "html", .value = "FILE", .help = "as one page for a browser, which needs neither network nor other files"},
};

}  // namespace

std::span<const Switch> report_switches() { return kReportSwitches; }

ReportArguments parse_report(const std::string& verb, std::size_t file_count, const std::vector<std::string>& words) {
    ReportArguments arguments;
    SwitchWords typed = take_apart(verb, kReportSwitches, words);
    for (const SwitchWord& word : typed.switches) arguments.html_path = word.value;
    arguments.files = std::move(typed.operands);
    if (arguments.files.size() != file_count) {
        throw UsageError(fmt::format("ioproof {}: takes {} (what 'ioproof run --json FILE' wrote), {} given", verb,
                                     file_count == 1 ? "one results file" : "two results files, before and after", arguments.files.size()));
    }
    return arguments;
}

std::string report_help_text() {
    return fmt::format(
        "Usage: ioproof report FILE [SWITCHES]\n"
        "\n"
        "Shows the results that 'ioproof run --json FILE' wrote: as the text that stood at the end of the run, or\n"
        "as a page.\n"
        "\n{}\n"
        "Examples:\n"
        "  ioproof report results.json\n"
        "  ioproof report results.json --html results.html\n",
        switch_table(report_switches()));
}

std::string compare_help_text() {
    return fmt::format(
        "Usage: ioproof compare BEFORE AFTER [SWITCHES]\n"
        "\n"
        "Two results files (of 'ioproof run --json FILE') side by side. Differences that exceed the noise, which is\n"
        "what a figure varies within the two main runs, are marked. The exit code is 0 whatever they are.\n"
        "\n{}\n"
        "Examples:\n"
        "  ioproof compare before.json after.json\n"
        "  ioproof compare before.json after.json --html difference.html\n",
        switch_table(report_switches()));
}

}  // namespace cli
