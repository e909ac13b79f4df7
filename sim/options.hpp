// What to do: the parameters of a run, typed, with SQLIOSim's defaults. Plain data. Filled and checked by config; sim relies on the ranges
// in config's table of parameters. Ratios and chances are in hundredths of a percent: 10000 = 100 %.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/file_role.hpp"
#include "sim/limits.hpp"

namespace sim {

// What SQL Server does that SQLIOSim does not know. All of it is off by default, so that SQLIOSim's configurations keep their meaning.
struct RecentSystemOptions {
    std::uint32_t target_recovery_time_s = 0;    // 0: checkpoints at fixed intervals; otherwise indirect checkpoints
    std::uint32_t checkpoint_slow_write_ms = 0;  // writes that take longer slow a checkpoint down; 0: never
    bool log_instant_growth = false;             // the log grows as it has since SQL Server 2022
    std::uint32_t log_kb_outstanding = 0;        // log being written at a time; 0: as LogFlushesOutstanding allows

    friend bool operator==(const RecentSystemOptions&, const RecentSystemOptions&) = default;
};

struct ColumnstoreUserOptions {
    std::int32_t user_count = 0;
    std::uint32_t min_segment_kb = 1024;
    std::uint32_t max_segment_kb = 8192;
    std::uint32_t bulk_load_chance = 1000;  // that a step loads a row group instead of reading a segment
    std::uint32_t row_group_segments = 4;
    std::uint32_t delay_after_cycles = 4;  // 0 = never pause
    std::uint32_t delay_ms = 100;

    friend bool operator==(const ColumnstoreUserOptions&, const ColumnstoreUserOptions&) = default;
};

struct TempdbUserOptions {
    std::int32_t user_count = 0;
    std::string folder = ".";  // relative to the folder of the first data file
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

// [BackupUser]: backups while users work, verified, and restored. Off while no folder is named.
struct BackupUserOptions {
    std::string folders{};                 // of the backup, separated by '|'; empty: no backups are made
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

// Blocks of MaxTransferSize are whole extents; BACKUP takes at most 4 MB.
inline constexpr std::uint32_t kBackupTransferKbMin = 64;
inline constexpr std::uint32_t kBackupTransferKbMax = 4096;
inline constexpr std::uint32_t kBackupReadersMax = 64;
inline constexpr std::uint32_t kBackupBuffersMax = 1024;
// BACKUP takes at most 64 devices.
inline constexpr std::uint32_t kBackupStripesMax = 64;

// UserCount = -1: depends on the CPUs, see user_count_for().
inline constexpr std::int32_t kAutomaticUserCount = -1;

// Users of a section: UserCount, or for -1 two for each CPU, at most 8.
constexpr std::uint32_t user_count_for(std::int32_t user_count, std::uint32_t cpu_count) {
    constexpr std::uint32_t kAutomaticMax = 8;
    return user_count == kAutomaticUserCount ? std::min(cpu_count * 2, kAutomaticMax) : static_cast<std::uint32_t>(user_count);
}

struct RandomUserOptions {
    std::int32_t user_count = kAutomaticUserCount;
    std::uint32_t jump_to_new_region_chance = 500;
    std::uint32_t min_io_chain_pages = 50;
    std::uint32_t max_io_chain_pages = 100;
    std::uint32_t read_write_ratio = 9000;  // share of the chain's pages that are updated
    std::uint32_t min_log_per_buffer_bytes = 64;
    std::uint32_t max_log_per_buffer_bytes = 8192;
    std::uint32_t rollback_chance = 100;
    std::uint32_t sleep_after_ms = 5;
    std::uint32_t yield_chance = 0;
    bool cpu_simulation = false;
    std::uint64_t cpu_cycles_min = 0;
    std::uint64_t cpu_cycles_max = 0;

    friend bool operator==(const RandomUserOptions&, const RandomUserOptions&) = default;
};

struct AuditUserOptions {
    std::int32_t user_count = 2;
    std::uint32_t buffers_validated_pages = 64;
    std::uint32_t delay_after_cycles = 2;  // 0 = never pause
    std::uint32_t delay_ms = 200;
    bool checks_snapshot = false;  // checks complete files through the snapshots, one after the other
    std::uint32_t snapshot_check_delay_s = 0;

    friend bool operator==(const AuditUserOptions&, const AuditUserOptions&) = default;
};

struct ReadAheadUserOptions {
    std::int32_t user_count = 2;
    std::uint32_t min_pages = 32;
    std::uint32_t max_pages = 64;
    std::uint32_t delay_after_cycles = 2;  // 0 = never pause
    std::uint32_t delay_ms = 200;

    friend bool operator==(const ReadAheadUserOptions&, const ReadAheadUserOptions&) = default;
};

struct BulkUpdateUserOptions {
    std::int32_t user_count = kAutomaticUserCount;
    std::uint32_t min_pages = 64;
    std::uint32_t max_pages = 128;
    std::uint32_t delay_after_cycles = 2;  // 0 = never pause
    std::uint32_t delay_ms = 10;

    friend bool operator==(const BulkUpdateUserOptions&, const BulkUpdateUserOptions&) = default;
};

struct ShrinkUserOptions {
    std::uint32_t min_interval_s = 120;
    std::uint32_t max_interval_s = 600;
    std::uint32_t min_extends = 1;
    std::uint32_t max_extends = 20;

    friend bool operator==(const ShrinkUserOptions&, const ShrinkUserOptions&) = default;
};

// How the writes of a file become durable, as in SQL Server on Linux.
enum class Durability : std::uint8_t {
    inherited,      // of a file: as for the run; of a run: as WriteThrough says, forced flush if it is off
    write_through,  // each write is durable when it completes (O_DSYNC; FUA where available)
    forced_flush,   // written, then flushed: the log before a block counts as hardened, data files before a checkpoint is complete
    none,           // not requested: what completes counts, whether or not it would survive a power cut
};

struct FileOptions {
    std::string path;
    std::uint64_t initial_size_mb = 0;
    std::uint64_t max_size_mb = 0;
    std::uint64_t increment_mb = 0;  // 0 = keeps its size
    bool shrinkable = false;
    bool sparse = false;
    bool is_log = false;
    Durability durability = Durability::inherited;
    std::string named_as{};  // the user's name for it, if symbolic links led from there to `path`; otherwise empty
    FileRole role = FileRole::test;
    bool is_tempdb = false;  // made for TempdbUser: nothing in it outlives the run

    friend bool operator==(const FileOptions&, const FileOptions&) = default;
};

// What is done with the files.
enum class Job : std::uint8_t {
    run,     // recreated, filled, used and audited
    resume,  // the same, but with the files that a crash left, after recovery
    repair,  // recovery only, which makes the files usable whatever is wrong with them
    verify,  // the files that a crash left are read, and compared with what their log proves; nothing is written
};

// No users work: the job is about what an earlier run left.
constexpr bool is_about_left_files(Job job) { return job == Job::verify || job == Job::repair; }

enum class EngineChoice : std::uint8_t { automatic, uring, threads };

struct Options {
    // [CONFIG]
    std::string error_file = "sqliosim.log.xml";
    std::uint32_t cpu_count = 0;  // 0 = as many as the machine (or container) has
    std::uint64_t affinity = 0;
    std::uint64_t io_affinity = 0;
    std::uint64_t max_memory_mb = 0;  // 0 = a quarter of the data files, see sim/run/sizing.hpp
    bool stop_on_error = true;
    std::uint32_t test_cycles = 1;  // 0 = until stopped
    std::uint64_t test_cycle_duration_s = 300;
    std::uint32_t cache_hit_ratio = 1000;
    bool no_buffering = true;
    bool write_through = true;
    Durability durability = Durability::inherited;
    std::uint32_t max_outstanding_io = 0;  // 0 = kOutstandingIoMax
    std::uint32_t target_io_duration_ms = 100;
    bool allow_io_bursts = true;
    bool use_scatter_gather = true;
    bool force_read_ahead = true;
    bool delete_files_at_startup = true;
    bool delete_files_at_shutdown = false;
    bool stamp_files = false;

    // [CONFIG], extensions: in SQLIOSim they are built in.
    std::uint32_t checkpoint_pages = 128;         // largest gather write: 128 as in SQL Server 2016 and later, 32 before
    std::uint32_t checkpoint_interval_ms = 1000;  // pause between two checkpoints of the main run
    std::uint32_t log_flushes_outstanding = 112;  // as in SQL Server 2012 and later; 32 before
    bool merge_buffers = false;                   // pages adjacent in memory form one segment of a request; otherwise each page has its own

    RandomUserOptions random_user;
    AuditUserOptions audit_user;
    ReadAheadUserOptions read_ahead_user;
    BulkUpdateUserOptions bulk_update_user;
    ShrinkUserOptions shrink_user;
    BackupUserOptions backup_user;

    // What SQL Server has added since SQLIOSim; off by default.
    RecentSystemOptions recent;  // [CONFIG]
    ColumnstoreUserOptions columnstore_user;
    TempdbUserOptions tempdb_user;
    VersionStoreUserOptions version_store_user;

    std::vector<FileOptions> files;

    // Command line only.
    Job job = Job::run;
    std::uint64_t seed = 0;
    EngineChoice engine = EngineChoice::automatic;
    bool files_only_grow = false;          // others read the files: nothing that was there once is cut away, whatever Shrinkable says
    bool overwrite_foreign_files = false;  // also write to files that are not ours, to *.mdf/*.ndf/*.ldf and to block devices

    friend bool operator==(const Options&, const Options&) = default;
};

// Never `inherited`.
constexpr Durability durability_of(const Options& options, const FileOptions& file) {
    if (file.durability != Durability::inherited) return file.durability;
    if (options.durability != Durability::inherited) return options.durability;
    return options.write_through ? Durability::write_through : Durability::forced_flush;
}

// How many requests may be outstanding at a time, in the entire process.
constexpr std::uint32_t outstanding_io_max(const Options& options) {
    return options.max_outstanding_io == 0 ? kOutstandingIoMax : options.max_outstanding_io;
}

}  // namespace sim
