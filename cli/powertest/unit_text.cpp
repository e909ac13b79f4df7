#include "cli/powertest/unit_text.hpp"

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "cli/powertest/powertest_arguments.hpp"

namespace cli {
namespace {

// Quotes a word for systemd: % begins a specifier, and in command lines $ begins a variable.
std::string unit_quoted(const std::string& word, bool is_command) {
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
    std::string mounts = unit_quoted(state_path, false);
    for (const std::string& folder : folders_among(state.plan.run_words)) {
        mounts += " " + unit_quoted((std::filesystem::path(state.plan.folder) / folder).lexically_normal().string(), false);
    }
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
