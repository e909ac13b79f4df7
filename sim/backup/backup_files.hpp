// The files of a run's backups and restores, derived from its options: pure. They are test files like all others: recreated, refused if a
// foreign file has the name, and included in the check for free space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/options.hpp"

namespace sim {

// BackupFolder, split at its separators: "/a|/b".
[[nodiscard]] std::vector<std::string> backup_folders(std::string_view folders);

// The stripes, the restored files (one for each data file that is not a replica), and the chain; nothing without backups. Sizes are those
// that a full backup of the files at their initial size needs.
[[nodiscard]] std::vector<FileOptions> backup_files(const Options& options);

// A data file whose pages are in every backup: those of tempdb are in none, as in SQL Server, nor are those of snapshots. Pure.
[[nodiscard]] bool is_backed_up(const FileOptions& file, const std::vector<FileOptions>& files);

// The size in pages of the ledger of a file of backup_files(): enough for everything that the run can write there. `sources`: page counts
// of the data files at their largest.
[[nodiscard]] std::uint64_t stripe_pages_max(const BackupUserOptions& options, const std::vector<std::uint64_t>& sources);

}  // namespace sim
