#include "cli/group/group_shelf.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ums/base/input_file.hpp"
#include "ums/base/output_handle.hpp"
#include "ums/base/output_place.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kGroupExtension = ".group";
constexpr std::size_t kGroupFileBytesMax = 128 << 20;  // of a group, and of the one before it
// Several times the interval of ticks, which are late on a busy machine, and less than the shortest lease of `run --lease`.
constexpr std::uint64_t kStoodStillUs = 600'000;

}  // namespace

GroupShelf::GroupShelf(fs::path folder, HasPromises has_promises)
    : folder_(std::move(folder)), has_promises_(std::move(has_promises)), ticked_us_(now().monotonic_us) {
    take_up();
}

void GroupShelf::tick() {
    const GroupState::Now at = now();
    const std::uint64_t away_us = at.monotonic_us - std::exchange(ticked_us_, at.monotonic_us);
    if (away_us < kStoodStillUs) return;
    for (auto& [name, group] : groups_) group.state.forgive(away_us, at);
}

fs::path GroupShelf::path_of(const std::string& name) const { return folder_ / (name + std::string(kGroupExtension)); }

void GroupShelf::take_up() {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
        if (entry.path().extension() == kGroupExtension && is_group_name(entry.path().stem().string())) take_up(entry.path());
    }
}

// A group that began anew would forget who has come, and whose turn it is.
void GroupShelf::take_up(const fs::path& path) {
    const std::string name = path.stem().string();
    const ums::InputFile file = ums::read_input_file(path.string(), kGroupFileBytesMax);
    std::optional<GroupState> state;
    if (file.problem.empty()) state = GroupState::from_text(file.bytes, now());
    if (!state) {
        damaged_.insert(name);
        damages_.push_back(fmt::format("{}: {}", path.string(), file.problem.empty() ? "is damaged" : file.problem));
    } else if (groups_.size() < kGroupsMax) {
        groups_.insert_or_assign(name, Group{std::move(*state), false});
    }
}

// A hand-over that keeps its name goes last: one of its processes that is restarted would begin it anew, and delete the files.
bool GroupShelf::make_room() {
    if (groups_.size() < kGroupsMax) return true;
    const auto order_of = [this](const GroupState& state) {
        return std::pair(state.keeps_its_name(has_promises_for(state)), state.last_beat_us());
    };
    auto first = groups_.end();
    for (auto group = groups_.begin(); group != groups_.end(); ++group) {
        if (!group->second.state.is_history(now())) continue;
        if (first == groups_.end() || order_of(group->second.state) < order_of(first->second.state)) first = group;
    }
    if (first == groups_.end()) return false;
    ums::remove_output(path_of(first->first).string());
    groups_.erase(first);
    return true;
}

std::optional<std::string> GroupShelf::answer(std::string_view text) {
    tick();
    const std::optional<GroupBeat> beat = decode_beat(text);
    if (!beat) return std::nullopt;
    const auto refuse = [this](std::string problem) {
        GroupView view;
        view.utc_us = now().utc_us;
        view.problem = std::move(problem);
        return encode(view);
    };
    if (damaged_.contains(beat->group)) {
        return refuse(
            fmt::format("its file {}{} cannot be read, or is damaged; to begin the group anew, remove it while the witness is not running",
                        beat->group, kGroupExtension));
    }
    if (!groups_.contains(beat->group) && !make_room()) return refuse("the witness keeps as many groups as it can");
    Group& group = groups_.try_emplace(beat->group, Group{GroupState(now()), false}).first->second;
    const GroupView view = group.state.take(*beat, now(), has_promises_for(group.state));
    group.is_unsaved = group.state.take_changed() || group.is_unsaved;
    // Saved before the answer: a witness that is restarted must know everything that it has told anyone.
    const std::error_code error = group.is_unsaved ? save(beat->group, group.state) : std::error_code();
    group.is_unsaved = static_cast<bool>(error);
    if (!error) return encode(view);
    GroupView trouble;
    trouble.utc_us = now().utc_us;
    trouble.trouble = "the disk of the witness: " + ums::error_text(error);
    return encode(trouble);
}

// Always the same temporary name, so that what a power cut leaves is replaced instead of accumulating.
std::error_code GroupShelf::save(const std::string& name, const GroupState& state) const {
    const std::string path = path_of(name).string();
    const std::string beside = path + ".ioproof-new";
    ums::remove_output(beside);
    ums::OutputHandle file;
    std::error_code error = ums::create_output(beside, ums::OutputAccess::this_user, file);
    if (!error) error = file.write_at(0, state.to_text());
    if (!error) error = file.sync();
    if (!error) error = ums::replace_output(beside, path);
    if (error) {
        ums::remove_output(beside);
        return error;
    }
    return ums::sync_folder_of(path);
}

}  // namespace cli
