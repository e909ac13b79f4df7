#include "cli/report_arguments.hpp"

#include <array>

#include <fmt/format.h>

#include "cli/help_text.hpp"
#include "cli/usage_error.hpp"

namespace cli {
namespace {

constexpr std::array kReportSwitches{
    Switch{.name = "html", .value = "FILE", .help = "as one page for a browser, which needs neither network nor other files"},
};

}  // namespace

std::span<const Switch> report_switches() { return kReportSwitches; }

ReportArguments parse_report(const std::string& verb, std::size_t file_count, const std::vector<std::string>& words) {
    constexpr std::string_view kAttached = "--html=";
    ReportArguments arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        const bool is_html = word == "--html" || word.starts_with(kAttached);
        if (!is_html && word.size() > 1 && word[0] == '-') {
            throw UsageError(fmt::format("ioproof {}: unknown switch '{}'; allowed is --html FILE", verb, word));
        }
        if (!is_html) {
            arguments.files.push_back(word);
            continue;
        }
        if (!arguments.html_path.empty()) throw UsageError("--html: given 2 times; once is allowed");
        if (word != "--html")
            arguments.html_path = word.substr(kAttached.size());
        else if (i + 1 < words.size())
            arguments.html_path = words[++i];
        if (arguments.html_path.empty()) throw UsageError("--html: a value is missing; write --html FILE");
    }
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
