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
    std::uint32_t file_id = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint32_t version = 0;  // of the first page; 0 = not known when it was posted
    std::uint64_t lsn = 0;
    int error_code = 0;
    std::uint64_t transferred_bytes = 0;
};

}  // namespace sim
