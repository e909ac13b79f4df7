#include "config/profiles.hpp"

#include <algorithm>

#include "config/embedded_profiles.hpp"

namespace config {

const std::vector<Profile>& profiles() {
    static const std::vector<Profile> kProfiles = {
        {"sql2005", embedded::kProfileSql2005},
        {"sql2022-oltp", embedded::kProfileOltp},
        {"sql2022-warehouse", embedded::kProfileWarehouse},
        {"sql2022-mixed", embedded::kProfileMixed},
    };
    return kProfiles;
}

const Profile* find_profile(std::string_view name) {
    const auto& all = profiles();
    const auto found = std::find_if(all.begin(), all.end(), [name](const Profile& profile) { return profile.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::string profile_names() {
    std::string names;
    for (const Profile& profile : profiles()) {
        if (!names.empty()) names += ", ";
        names += profile.name;
    }
    return names;
}

}  // namespace config
