#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "cli/powertest/campaign.hpp"
#include "cli/powertest/powertest_arguments.hpp"
#include "cli/powertest/state_folder.hpp"
#include "cli/powertest/unit_text.hpp"
#include "cli/process/console.hpp"
#include "cli/process/distinct_files.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/json_document.hpp"
#include "cli/process/stop_signals.hpp"
#include "cli/run/configuration.hpp"
#include "cli/run/run_outputs.hpp"
#include "cli/words/commands.hpp"
#include "reports/html_page.hpp"
#include "reports/json_text.hpp"
#include "reports/output_file.hpp"
#include "reports/text.hpp"
#include "sim/version.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/output_place.hpp"

namespace cli {
namespace {

std::vector<std::string> folders_of_files(const std::vector<std::string>& paths, const std::filesystem::path& from) {
    std::vector<std::string> folders;
    for (const std::string& path : paths) {
        const std::string folder = (from / path).parent_path().lexically_normal().string();
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    }
    return folders;
}

[[noreturn]] void refuse_missing_campaign(const std::string& state_path) {
    throw UsageError(fmt::format("{}: no campaign is there; a new one needs -dir DIR or -cfg FILE", state_path));
}

// Before the folder of the state is made.
void check_paths(const PowertestArguments& arguments) {
    check_distinct({{.what = "--json", .path = arguments.json_path == "-" ? "" : arguments.json_path},
                    {.what = "--html", .path = arguments.html_path}});
    if (arguments.plan.typed.empty() && !ums::is_name_taken(arguments.state_path)) refuse_missing_campaign(arguments.state_path);
}

CampaignState new_campaign(const PowertestArguments& arguments, const StateFolder& folder) {
    const bool names_files = !arguments.plan.run_words.empty();
    if (arguments.plan.typed.empty() || arguments.prints_unit || arguments.ends_campaign) refuse_missing_campaign(folder.path());
    if (!names_files) throw UsageError("powertest: name the files of the runs with -dir DIR or -cfg FILE");
    CampaignState state{.plan = arguments.plan};
    state.plan.folder = std::filesystem::current_path().string();
    const config::Configuration of_runs = effective_configuration(parse_run(arguments.plan.run_words), ums::this_machine());
    const std::vector<std::string> paths = files_of_run(of_runs.options);
    // A run may replace its files, whatever they hold, once a cut may have left them unfinished.
    state.makes_files = std::none_of(paths.begin(), paths.end(), [](const std::string& path) { return ums::is_name_taken(path); });
    state.plan.folders = folders_of_files(paths, state.plan.folder);
    if (!arguments.has_seed) state.plan.seed = std::random_device()();
    return state;
}

// The campaign in the folder, whose switches must be the same unless none are given.
CampaignState campaign_in(const PowertestArguments& arguments, const StateFolder& folder) {
    std::optional<CampaignState> state = folder.load();
    if (!state) {
        state = new_campaign(arguments, folder);
        folder.save(*state);
    } else if (!arguments.plan.typed.empty() && arguments.plan.typed != state->plan.typed) {
        throw UsageError(fmt::format("{}: holds a campaign with other switches; continue it with {}, or name another folder for this one",
                                     folder.path(), folder.quoted_command()));
    }
    return *state;
}

ExitCode exit_code_of(const CampaignState& state) {
    const reports::CampaignSums sums = sums_of(state.cycles);
    if (sums.with_findings > 0) return ExitCode::integrity;
    return sums.intact > 0 ? ExitCode::ok : ExitCode::environment;
}

ExitCode report(const CampaignState& state, JsonOutput& json, std::optional<reports::OutputFile>& html, Console& console) {
    const std::string text = campaign_text(state.cycles, state.plan.cycles, are_promises_kept(state.plan.run_words), 80);
    const nlohmann::ordered_json document = campaign_document(state.cycles, state.plan.cycles, sim::kVersion);
    if (json.shows_text()) console.add_result(text);
    const ExitCode code = json.put(reports::json_text(document), console, exit_code_of(state));
    return html ? put_file(*html, reports::html_campaign(document, text), console, code) : code;
}

ExitCode execute_powertest(const Call& call) {
    const PowertestArguments arguments = parse_powertest(call.words);
    check_paths(arguments);
    const GracefulStop stop;
    const StateFolder folder(arguments.state_path);
    CampaignState state = campaign_in(arguments, folder);
    if (arguments.prints_unit) {
        call.console.add_result(unit_text(state, std::filesystem::read_symlink("/proc/self/exe").string(), folder.path()));
        return ExitCode::ok;
    }
    JsonOutput json(arguments.json_path, reports::kPowertestDocument);
    std::optional<reports::OutputFile> html;
    if (!arguments.html_path.empty()) html.emplace(reports::html_kind(), arguments.html_path);
    if (arguments.ends_campaign && !state.is_over) {
        if (state.phase != CampaignPhase::idle) {
            call.console.add_message(
                fmt::format("cycle {}: what its run has left is not verified; 'ioproof verify' does it\n", state.cycles.size() + 1));
        }
        state.is_over = true;
        state.phase = CampaignPhase::idle;
        folder.save(state);
    }
    if (!state.is_over && !state.plan.cut.empty() && state.cycles.empty()) {
        call.console.add_message(fmt::format("{}{} after {} to {} s, drawn from --seed {}\n", reports::counted(state.plan.cycles, "cut"),
                                             state.plan.cycles == 1 ? "," : ", each", state.plan.least_s, state.plan.most_s,
                                             state.plan.seed));
    }
    Campaign campaign(state, folder, call.console, stop);
    if (campaign.go_on()) return report(state, json, html, call.console);
    call.console.add_message(fmt::format("Stopped; {} continues\n", folder.quoted_command()));
    return ExitCode::stopped;
}

}  // namespace

Command powertest_command() {
    return {.name = "powertest",
            .operands = "",
            .summary = "cut the power many times, and see what survives",
            .description =
                "A campaign of power cuts on one set of files: run, cut, verify, continue with the files, cut, verify … "
                "(docs/powertest.md). The folder of --state keeps what has been done, so a single command continues a campaign after each "
                "cut and each interruption: ioproof powertest --state DIR.\n"
                "With --cut and --restore it works unattended. Otherwise it says when to pull the plug; start it again after the reboot, "
                "by hand or by the unit that --unit prints. It stops at the first finding, and leaves the files as they are.\n"
                "Switches after -- go to the runs, and also to 'ioproof verify' if it has them.",
            .switches = powertest_switches(),
            .examples =
                "ioproof powertest -dir /mnt/data --state campaign --cycles 20\n"
                "ioproof powertest --state campaign\n"
                "ioproof powertest -dir /mnt/data --state campaign --cut 'relay off' --restore 'relay on' -- -size 64",
            .exit_codes =
                "0 nothing that had been acknowledged was missing after any cut that could be verified\n"
                "1 acknowledged writes are lost, or the storage failed\n"
                "2 wrong usage or configuration, or the folder holds another campaign\n"
                "3 a command, a run or a verification could not be done, or no cut could be verified\n"
                "70 an internal error of ioproof\n"
                "130 stopped by a person; the campaign can be continued",
            .execute = execute_powertest};
}

}  // namespace cli
