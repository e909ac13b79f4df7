#include "cli/run/preflight_command.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/json_document.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/switch_words.hpp"
#include "cli/words/switches.hpp"
#include "reports/preflight_report.hpp"
#include "sim/errors.hpp"
#include "sim/preflight/preflight.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array kPreflightSwitches{
    Switch{.name = "tempdb",
           .value = "DIR",
           .repeatable = true,
           .help = "a folder for tempdb only: nothing there need be durable, and it may be on tmpfs;\nmay be repeated"},
    Switch{.name = "json", .value = "FILE", .help = "the lines as JSON; '-': to the standard output, instead of the text"},
};

struct PreflightArguments {
    std::vector<std::string> folders;
    std::vector<std::string> tempdb_folders;
    std::string json_path;  // empty = no JSON; "-" = to standard output, instead of the text
};

// What is not there keeps its name: the examination will say so.
fs::path real_name(const std::string& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    return error ? fs::path(folder) : real;
}

bool has_folder(const std::vector<std::string>& folders, const std::string& folder) {
    const fs::path wanted = real_name(folder);
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& other) { return real_name(other) == wanted; });
}

// A folder that is named twice, as in `data` and `./data`, is examined once, under its first name.
void add_folder(std::vector<std::string>& folders, const std::string& folder) {
    if (!has_folder(folders, folder)) folders.push_back(folder);
}

// Throws UsageError.
PreflightArguments parse_preflight(const std::vector<std::string>& words) {
    PreflightArguments arguments;
    const SwitchWords typed = parse_words(kPreflightSwitches, words);
    for (const SwitchWord& word : typed.switches) {
        if (word.name == "json") arguments.json_path = word.value;
        if (word.name == "tempdb") add_folder(arguments.tempdb_folders, word.value);
    }
    for (const std::string& folder : typed.operands) add_folder(arguments.folders, folder);
    if (arguments.folders.empty() && arguments.tempdb_folders.empty())
        throw UsageError("name a folder, as in 'ioproof preflight /mnt/data'");
    return arguments;
}

// The folders of tempdb's files, or of all others.
std::vector<std::string> folders_of(const sim::Options& options, bool is_tempdb) {
    std::vector<std::string> folders;
    for (const sim::FileOptions& file : options.files) {
        std::error_code error;
        if (file.is_tempdb != is_tempdb || fs::is_block_file(file.path, error)) continue;
        std::string folder = fs::path(file.path).parent_path().string();
        if (folder.empty()) folder.assign(1, '.');
        add_folder(folders, folder);
    }
    return folders;
}

ExitCode look(const PreflightArguments& arguments, Console& console) {
    JsonOutput json(arguments.json_path, reports::kPreflightDocument);
    const ums::RealClock clock;
    std::vector<sim::PreflightLine> lines = sim::preflight(arguments.folders, sim::PreflightEffort::thorough, clock);
    const std::vector<sim::PreflightLine> of_tempdb =
        sim::preflight(arguments.tempdb_folders, sim::PreflightEffort::thorough, clock, sim::PreflightUse::tempdb);
    lines.insert(lines.end(), of_tempdb.begin(), of_tempdb.end());
    if (json.shows_text()) console.add_result(reports::preflight_text(lines, std::max<std::size_t>(console.columns(), 60)));
    const bool has_failure =
        std::any_of(lines.begin(), lines.end(), [](const sim::PreflightLine& line) { return line.grade == sim::PreflightGrade::fail; });
    return json.put(reports::preflight_json(lines), console, has_failure ? ExitCode::integrity : ExitCode::ok);
}

}  // namespace

Command preflight_command() {
    return {
        .name = "preflight",
        .operands = "DIR…",
        .kind = Operand::folders,
        .summary = "say what SQL Server will meet in these folders",
        .description =
            "Examines the folders for database files: file system and mount options, direct I/O, how writes are made durable and what "
            "that costs, sectors, alignment, stripes, queue settings, limits, and other users of the disk. Each line is OK, WARN or FAIL; "
            "those that are not OK give the reason, the source, and the command that fixes it.\n"
            "Writes one temporary file of 32 MB to each folder, which has no name and is gone at the end; changes nothing else. Takes "
            "some seconds for each folder. Without root it sees less of other users' processes.",
        .switches = kPreflightSwitches,
        .examples =
            "ioproof preflight /mnt/data /mnt/log\nioproof preflight /mnt/data --tempdb /mnt/tempdb\nioproof preflight /mnt/data --json -",
        .exit_codes = "0 no FAIL\n1 at least one FAIL\n2 wrong usage\n3 a folder is missing, read-only or full\n130 stopped by a person",
        .execute = [](const Call& call) { return look(parse_preflight(call.words), call.console); }};
}

namespace {

void look_quickly(const std::vector<std::string>& folders, sim::PreflightUse use, const ums::Clock& clock,
                  std::vector<sim::PreflightLine>& lines) {
    for (const std::string& folder : folders) {
        try {
            const std::vector<sim::PreflightLine> judged = sim::preflight({folder}, sim::PreflightEffort::quick, clock, use);
            lines.insert(lines.end(), judged.begin(), judged.end());
        } catch (const sim::EnvironmentError&) {
            continue;
        }
    }
}

}  // namespace

std::vector<sim::PreflightLine> preflight_of_run(const sim::Options& options, const ums::Clock& clock) {
    std::vector<sim::PreflightLine> lines;
    const std::vector<std::string> folders = folders_of(options, false);
    std::vector<std::string> tempdb_folders = folders_of(options, true);
    std::erase_if(tempdb_folders, [&](const std::string& folder) { return has_folder(folders, folder); });
    look_quickly(folders, sim::PreflightUse::database, clock, lines);
    look_quickly(tempdb_folders, sim::PreflightUse::tempdb, clock, lines);
    return lines;
}

}  // namespace cli
