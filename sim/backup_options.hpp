// [BackupUser]: backups while users work, verified, and restored. Plain data; off while no folder is named.
#pragma once

#include <cstdint>
#include <string>

namespace sim {

struct BackupUserOptions {
    std::string folders{};                 // of the backup, with '|' between them; empty: no backups are made
    std::uint32_t stripes_per_folder = 1;  // files in each folder
    std::uint32_t reader_count = 2;
    std::uint32_t max_transfer_kb = 1024;
    std::uint32_t buffer_count = 8;
    std::uint32_t full_interval_s = 0;          // from the end of one full backup to the next; 0: one in each main run
    std::uint32_t differential_interval_s = 0;  // 0: none
    std::uint32_t log_interval_s = 0;           // 0: none
    bool verify = true;                         // RESTORE VERIFYONLY of each backup
    std::string restore_folder{};               // empty: nothing is restored
    bool keep_files = false;                    // backups and restored files stay when the run ends

    [[nodiscard]] bool is_on() const { return !folders.empty(); }

    friend bool operator==(const BackupUserOptions&, const BackupUserOptions&) = default;
};

// Blocks of MaxTransferSize are whole extents; 4 MB is the largest that BACKUP takes.
inline constexpr std::uint32_t kBackupTransferKbMin = 64;
inline constexpr std::uint32_t kBackupTransferKbMax = 4096;
inline constexpr std::uint32_t kBackupReadersMax = 64;
inline constexpr std::uint32_t kBackupBuffersMax = 1024;
// BACKUP takes 64 devices.
inline constexpr std::uint32_t kBackupStripesMax = 64;

}  // namespace sim
