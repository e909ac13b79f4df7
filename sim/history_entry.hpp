// One operation on a file, as the history keeps it for findings. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace sim {

struct HistoryEntry {
    std::uint64_t tick_us = 0;  // when it was posted, since the run began (monotonic)
    std::uint64_t utc_us = 0;
    std::uint64_t duration_us = 0;
    std::uint32_t cpu = 0;  // logical CPU (scheduler)
    std::string user;       // "Random User 3", "Checkpoint", …
    bool is_write = false;
    bool is_diagnosis = false;  // asked again because an answer was wrong
    std::uint32_t file_id = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    // By the header of the first page or log block, as it was written or as it came back; 0 where it had none. Log blocks have no version.
    std::uint32_t version = 0;
    std::uint64_t lsn = 0;
    int error_code = 0;
    std::uint64_t transferred_bytes = 0;
};

}  // namespace sim
