// Profiles: configurations for the loads of certain versions of SQL Server, compiled in (samples/NAME.toml). Whatever the user configures
// overrides them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace config {

struct Profile {
    std::string_view name;
    std::string_view text;  // TOML
};

[[nodiscard]] const std::vector<Profile>& profiles();
[[nodiscard]] const Profile* find_profile(std::string_view name);

// "sql2005, sql2022-oltp, ...".
[[nodiscard]] std::string profile_names();

}  // namespace config
