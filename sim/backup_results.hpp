// What the backups of a run did: plain data. Sizes in bytes, times in microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/file_role.hpp"

namespace sim {

// All operations of one kind together.
struct BackupWork {
    std::uint64_t count = 0;
    std::uint64_t pages = 0;      // of data files
    std::uint64_t log_bytes = 0;  // copied, or read back
    std::uint64_t duration_us = 0;
    std::uint64_t max_duration_us = 0;  // the longest

    friend bool operator==(const BackupWork&, const BackupWork&) = default;
};

struct BackupFileResult {
    std::string path;
    FileRole role{};
    std::uint64_t size_bytes = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t findings = 0;
    std::uint64_t warnings = 0;  // requests that came late
    std::uint64_t long_ios = 0;
};

struct BackupResult {
    std::uint32_t transfer_bytes = 0;  // the largest request
    BackupWork full;
    BackupWork differential;
    BackupWork log;
    BackupWork verified;              // backups that were read back
    BackupWork restored;              // written into the files of a restore
    BackupWork compared;              // read back from them, and compared with the ledger
    std::uint64_t pages_redone = 0;   // brought to the backup's end by its log
    std::uint64_t broken_chains = 0;  // the log was reused before it could be copied, or there was no room
    std::vector<BackupFileResult> files;
};

}  // namespace sim
