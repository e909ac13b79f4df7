// The groups of a witness, each in memory and in a file of the witness's folder, from which a restarted witness continues. Used by one
// thread.
//
// Holds at most kGroupsMax groups: one that has ended, or has been silent so long that it counts as ended, makes room for a new one. The
// last to do so are hand-overs that have not reached their end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/group/group_state.hpp"
#include "ums/base/clock.hpp"

namespace cli {

class GroupShelf {
public:
    static constexpr std::size_t kGroupsMax = 64;

    // `folder` must exist and belong to this process. Loads the groups in it. A file that cannot be read or is damaged stays as it is, and
    // its group is refused.
    // `has_promises`: whether the witness holds promises of a run; empty: of each.
    using HasPromises = std::function<bool(std::uint64_t run_id)>;
    explicit GroupShelf(std::filesystem::path folder, HasPromises has_promises = {});

    // What is wrong with files of groups, one text for each: "/srv/witness/g.group: is damaged".
    [[nodiscard]] const std::vector<std::string>& damages() const { return damages_; }

    // The answer to a beat; nothing if the message is not one. Everything that the answer says is already on stable storage.
    [[nodiscard]] std::optional<std::string> answer(std::string_view text);

    // The witness works. To be called several times a second: if it was not, the disk or the machine stood still, and while nobody could be
    // heard no lease and no wait went on.
    void tick();

private:
    [[nodiscard]] GroupState::Now now() const { return {clock_.now_ns() / 1000, clock_.utc_us()}; }
    [[nodiscard]] std::filesystem::path path_of(const std::string& name) const;
    void take_up();
    void take_up(const std::filesystem::path& path);
    [[nodiscard]] bool has_promises_for(const GroupState& state) const { return !has_promises_ || has_promises_(state.run_id()); }
    [[nodiscard]] bool make_room();
    [[nodiscard]] std::error_code save(const std::string& name, const GroupState& state) const;

    struct Group {
        GroupState state;
        bool is_unsaved = false;  // has changes that the disk has not accepted
    };

    const ums::RealClock clock_;
    const std::filesystem::path folder_;
    const HasPromises has_promises_;
    std::uint64_t ticked_us_ = 0;
    std::map<std::string, Group> groups_;
    std::set<std::string> damaged_;  // names of groups
    std::vector<std::string> damages_;
};

}  // namespace cli
