#include "cli/powertest/unit_text.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/powertest/powertest_arguments.hpp"
#include "cli/process/exit_codes.hpp"

namespace cli {
namespace {

// Quotes a word for systemd: % begins a specifier, and in command lines $ begins a variable.
std::string unit_quoted(const std::string& word, bool is_command) {
    // systemd ends a line at either.
    if (word.find_first_of("\r\n") != std::string::npos) {
        throw UsageError(fmt::format(
            "--unit: the name '{}' has a line feed or a carriage return, which no systemd unit can hold; continue the campaign by hand",
            word));
    }
    std::string quoted = "\"";
    for (const char c : word) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '%' || (c == '$' && is_command)) quoted += c;
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace

std::string unit_text(const CampaignState& state, const std::string& program, const std::string& state_path) {
    std::vector<std::string> places{state_path};
    const auto add_place = [&places, &state](const std::string& path) {
        const std::string whole = (std::filesystem::path(state.plan.folder) / path).lexically_normal().string();
        if (std::find(places.begin(), places.end(), whole) == places.end()) places.push_back(whole);
    };
    add_place(state.plan.folder);  // in which the runs are started, and may find their configuration
    for (const std::string& folder : folders_among(state.plan.run_words)) add_place(folder);
    for (const std::string& folder : state.plan.folders) add_place(folder);
    for (const std::string& file : documents_among(state.plan.run_words)) add_place(file);
    std::string mounts;
    for (const std::string& place : places) mounts += (mounts.empty() ? "" : " ") + unit_quoted(place, false);
    // A witness that cannot be reached yet would end the service at boot, and with it the campaign.
    const std::string_view network =
        is_witness_among(state.plan.run_words) ? "Wants=network-online.target\nAfter=network-online.target\n" : "";
    return fmt::format(
        "[Unit]\n"
        "Description=ioproof powertest: verify after a power cut, then run until the next one\n"
        "RequiresMountsFor={}\n"
        "{}"
        "\n"
        "[Service]\n"
        "ExecStart={} powertest --state {}\n"
        "KillMode=mixed\n"
        "\n"
        "[Install]\n"
        "WantedBy=multi-user.target\n",
        mounts, network, unit_quoted(program, true), unit_quoted(state_path, true));
}

}  // namespace cli
