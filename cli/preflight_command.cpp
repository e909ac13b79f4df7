#include "cli/preflight_command.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "cli/json_output.hpp"
#include "reports/preflight_report.hpp"
#include "sim/errors.hpp"
#include "sim/preflight/preflight.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> folders_of(const sim::Options& options) {
    std::vector<std::string> folders;
    for (const sim::FileOptions& file : options.files) {
        std::error_code error;
        if (fs::is_block_file(file.path, error)) continue;
        std::string folder = fs::path(file.path).parent_path().string();
        if (folder.empty()) folder.assign(1, '.');
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    }
    return folders;
}

}  // namespace

ExitCode preflight_command(const PreflightArguments& arguments, Console& console) {
    JsonOutput json(arguments.json_path, reports::kPreflightDocument);
    const ums::RealClock clock;
    const std::vector<sim::PreflightLine> lines = sim::preflight(arguments.folders, sim::PreflightEffort::thorough, clock);
    if (json.shows_text()) console.add_result(reports::preflight_text(lines, std::max<std::size_t>(console.columns(), 60)));
    json.put(reports::preflight_json(lines), console);
    const bool has_failure =
        std::any_of(lines.begin(), lines.end(), [](const sim::PreflightLine& line) { return line.grade == sim::PreflightGrade::fail; });
    return has_failure ? ExitCode::integrity : ExitCode::ok;
}

std::vector<sim::PreflightLine> preflight_of_run(const sim::Options& options, const ums::Clock& clock) {
    std::vector<sim::PreflightLine> lines;
    for (const std::string& folder : folders_of(options)) {
        try {
            const std::vector<sim::PreflightLine> judged = sim::preflight({folder}, sim::PreflightEffort::quick, clock);
            lines.insert(lines.end(), judged.begin(), judged.end());
        } catch (const sim::EnvironmentError&) {
            continue;
        }
    }
    return lines;
}

}  // namespace cli
