// Whether the volumes of a campaign's files are mounted where they were when its first run began, and still hold its files.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "cli/powertest/campaign.hpp"
#include "cli/powertest/powertest_arguments.hpp"
#include "cli/powertest/state_folder.hpp"
#include "sim/errors.hpp"
#include "ums/io/mount_table.hpp"

namespace cli {
namespace {

// Of the volume that holds the folder; empty if that cannot be determined.
std::string mount_point_of(const std::string& folder) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::canonical(folder, error);
    if (error) return {};
    const std::optional<ums::Mount> mount = ums::mount_of(whole.string(), ums::mounts_of_this_process());
    return mount ? mount->point : std::string();
}

}  // namespace

void Campaign::note_volumes() {
    if (!state_.cycles.empty() || !state_.begins_anew) return refuse_missing_volume();
    state_.mounts.clear();
    for (const std::string& folder : state_.plan.folders) state_.mounts.push_back(mount_point_of(folder));
}

std::optional<std::size_t> Campaign::folder_without_volume() const {
    const std::size_t count = std::min(state_.mounts.size(), state_.plan.folders.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::string point = mount_point_of(state_.plan.folders[i]);
        if (!point.empty() && !state_.mounts[i].empty() && point != state_.mounts[i]) return i;
    }
    return std::nullopt;
}

void Campaign::refuse_missing_volume() const {
    const std::optional<std::size_t> folder = folder_without_volume();
    if (!folder) return;
    throw sim::EnvironmentError(
        fmt::format("{}: its volume is not mounted at {}, as it was when the campaign began; mount it, then {} continues",
                    state_.plan.folders[*folder], state_.mounts[*folder], folder_.quoted_command()));
}

void Campaign::refuse_vanished_files(const std::string& said) const {
    std::string what;
    if (!state_.begins_anew) {
        what = "nothing can be said about the files with which the run continued";
    } else if (state_.has_logged && found_no_files(folder_.file_of_cycle(cycle_number(), "verify.json"))) {
        what = "the storage has lost all files, which the run had made durable, or this is another volume";
    }
    if (what.empty()) return;
    throw sim::EnvironmentError(
        fmt::format("cycle {}: {}: {} Is the volume mounted? {} verifies again", cycle_number(), what, said, folder_.quoted_command()));
}

// A run that makes its files anew may leave those that it replaces, until its first acknowledged block of the log.
std::string Campaign::exchanged_files_text() const {
    std::string expected;
    if (!state_.begins_anew) {
        expected = run_id_in(folder_.file_of_cycle(cycle_number() - 1, "verify.json"));
    } else if (state_.has_logged) {
        expected = run_id_in(run_json_path());
    }
    const std::string found = run_id_in(folder_.file_of_cycle(cycle_number(), "verify.json"));
    if (expected.empty() || found.empty() || found == expected) return {};
    return fmt::format("the files are of another run, {} instead of {}: all that this run wrote is lost, or they were exchanged.", found,
                       expected);
}

// Empty if all are there.
std::string Campaign::missing_folder() const {
    for (const std::string& name : folders_among(state_.plan.run_words)) {
        const std::filesystem::path path = std::filesystem::path(state_.plan.folder) / name;
        std::error_code error;
        if (!std::filesystem::is_directory(path, error)) return path.string();
    }
    const std::optional<std::size_t> folder = folder_without_volume();
    return folder ? state_.plan.folders[*folder] : std::string();
}

}  // namespace cli
