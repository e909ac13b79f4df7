#include "cli/preflight_command.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "reports/preflight_report.hpp"
#include "sim/errors.hpp"
#include "sim/preflight/preflight.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

void write_json(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file) throw sim::EnvironmentError(fmt::format("{}: cannot be written.", path));
}

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
    const ums::RealClock clock;
    const std::vector<sim::PreflightLine> lines = sim::preflight(arguments.folders, sim::PreflightEffort::thorough, clock);
    const std::string json = reports::preflight_json(lines);
    if (arguments.json_path == "-") {
        console.add_result(json);
    } else {
        console.add_result(reports::preflight_text(lines, std::max<std::size_t>(console.columns(), 60)));
        if (!arguments.json_path.empty()) write_json(arguments.json_path, json);
    }
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
