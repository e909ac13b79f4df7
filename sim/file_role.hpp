// The purpose of a run's file.
#pragma once

#include <cstdint>
#include <string_view>

namespace sim {

enum class FileRole : std::uint8_t {
    test,          // a data or log file of the configuration
    backup,        // pages of a backup
    backup_chain,  // the description of a backup, and its log
    restored,      // a data file made by a restore
};

// "test file", "backup", "backup chain", "restored file": for people.
[[nodiscard]] std::string_view name_of(FileRole role);

}  // namespace sim
