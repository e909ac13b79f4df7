// One backup of a chain, as far as it has to be remembered: where it stands in the chain, and what the run knew when it ended.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/backup/backup_format.hpp"
#include "sim/log/page_sums.hpp"

namespace sim {

struct BackupSet {
    BackupKind kind{};
    std::uint32_t number = 0;  // in its chain, from 1
    std::uint32_t first_chunk = 0;
    std::uint32_t end_chunk = 0;
    std::uint64_t last_lsn = 0;           // to which a restore brings all pages
    PageSums sums{};                      // of the pages at that LSN
    std::vector<PageRun> runs{};          // what stands where
    std::vector<std::uint64_t> shrunk{};  // by source: how often the file had been cut when the backup began
};

}  // namespace sim
