// The files of a run's backups and restores, by its options: pure. They are test files as all others: made anew, refused where a file of
// somebody else stands, and counted when the room is looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/options.hpp"

namespace sim {

// BackupFolder taken apart: "/a|/b".
[[nodiscard]] std::vector<std::string> backup_folders(std::string_view folders);

// Stripes, the restored files (one for each data file that is no replica), and the chain. None where there are no backups. Sizes as a full
// backup of the files at their first size takes them.
[[nodiscard]] std::vector<FileOptions> backup_files(const Options& options);

// A data file whose pages are in every backup: tempdb is in none, as in SQL Server, and neither are snapshots. Pure.
[[nodiscard]] bool is_backed_up(const FileOptions& file, const std::vector<FileOptions>& files);

// Pages of a ledger of a file of backup_files(): it has room for all that the run can write there. `sources`: pages of the data files at
// their largest.
[[nodiscard]] std::uint64_t stripe_pages_max(const BackupUserOptions& options, const std::vector<std::uint64_t>& sources);

}  // namespace sim
