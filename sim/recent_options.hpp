// What to do, continued: SQL Server's newer work, which SQLIOSim does not know. All of it is off by default, so that SQLIOSim's
// configurations keep their meaning. Chances are in hundredths of a percent.
#pragma once

#include <cstdint>
#include <string>

namespace sim {

struct RecentSystemOptions {
    std::uint32_t target_recovery_time_s = 0;    // 0: checkpoints at fixed intervals; otherwise they are indirect
    std::uint32_t checkpoint_slow_write_ms = 0;  // writes that take longer slow a checkpoint down; 0: never
    bool log_instant_growth = false;             // the log grows as it does since SQL Server 2022
    std::uint32_t log_kb_outstanding = 0;        // log that is being written at a time; 0: as LogFlushesOutstanding allows

    friend bool operator==(const RecentSystemOptions&, const RecentSystemOptions&) = default;
};

struct ColumnstoreUserOptions {
    std::int32_t user_count = 0;
    std::uint32_t min_segment_kb = 1024;
    std::uint32_t max_segment_kb = 8192;
    std::uint32_t bulk_load_chance = 1000;  // of a step: it loads a row group instead of reading a segment
    std::uint32_t row_group_segments = 4;
    std::uint32_t delay_after_cycles = 4;  // 0 = never pause
    std::uint32_t delay_ms = 100;

    friend bool operator==(const ColumnstoreUserOptions&, const ColumnstoreUserOptions&) = default;
};

struct TempdbUserOptions {
    std::int32_t user_count = 0;
    std::string folder = ".";  // seen from the folder of the first data file
    std::uint32_t file_count = 8;
    std::uint64_t file_size_mb = 64;
    std::uint32_t min_spill_kb = 512;
    std::uint32_t max_spill_kb = 8192;
    std::uint32_t delay_after_cycles = 1;  // 0 = never pause
    std::uint32_t delay_ms = 20;

    friend bool operator==(const TempdbUserOptions&, const TempdbUserOptions&) = default;
};

struct VersionStoreUserOptions {
    std::int32_t user_count = 0;
    std::uint32_t min_pages = 8;  // of versions that a transaction leaves
    std::uint32_t max_pages = 64;
    std::uint32_t store_pages = 2048;      // of each user
    std::uint32_t retention_ms = 5000;     // how long a transaction may need a version
    std::uint32_t delay_after_cycles = 1;  // 0 = never pause
    std::uint32_t delay_ms = 10;

    friend bool operator==(const VersionStoreUserOptions&, const VersionStoreUserOptions&) = default;
};

}  // namespace sim
