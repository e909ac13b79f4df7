#include "sim/rehearsal/rehearsal_options.hpp"

#include "ums/base/prng.hpp"

namespace sim {

namespace {

// The log has room for what waits to be copied.
void add_backups(Options& options, ums::Prng& prng) {
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 4;
    BackupUserOptions& backup = options.backup_user;
    backup.folders = "/simulated";
    backup.restore_folder = prng.below(4) != 0 ? "/simulated" : "";
    backup.stripes_per_folder = static_cast<std::uint32_t>(prng.between(1, 2));
    backup.reader_count = static_cast<std::uint32_t>(prng.between(1, 2));
    backup.buffer_count = static_cast<std::uint32_t>(prng.between(1, 4));
    backup.max_transfer_kb = static_cast<std::uint32_t>(prng.between(1, 4)) * kBackupTransferKbMin;
    backup.log_interval_s = static_cast<std::uint32_t>(prng.below(2));
}

// What SQL Server has added since SQLIOSim: each in a quarter of the runs.
void add_recent_load(Options& options, std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed ^ 0x726563656e74));
    const auto is_drawn = [&prng] { return prng.below(4) == 0; };
    if (is_drawn()) options.recent.target_recovery_time_s = 1;
    if (is_drawn()) options.recent.checkpoint_slow_write_ms = 1;
    if (is_drawn()) options.recent.log_kb_outstanding = 60;
    if (is_drawn()) {
        options.recent.log_instant_growth = true;
        options.files[1].increment_mb = 1;
        options.files[1].max_size_mb = 4;
    }
    if (is_drawn()) {
        options.columnstore_user = {.user_count = 1,
                                    .min_segment_kb = 64,
                                    .max_segment_kb = 256,
                                    .bulk_load_chance = 3000,
                                    .row_group_segments = 2,
                                    .delay_after_cycles = 1,
                                    .delay_ms = 130};
    }
    if (is_drawn()) {
        options.tempdb_user = {.user_count = 1,
                               .file_count = 2,
                               .file_size_mb = 1,
                               .min_spill_kb = 64,
                               .max_spill_kb = 512,
                               .delay_after_cycles = 1,
                               .delay_ms = 130};
    }
    if (is_drawn()) {
        options.version_store_user = {.user_count = 1,
                                      .min_pages = 1,
                                      .max_pages = 8,
                                      .store_pages = 32,
                                      .retention_ms = 200,
                                      .delay_after_cycles = 1,
                                      .delay_ms = 60};
    }
}

// In one second a file grows at most; in three it shrinks, too.
void add_shrinks(Options& options, std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed ^ 0x736872696e6b));
    if (prng.below(4) == 0) options.test_cycle_duration_s = 3;
}

}  // namespace

void add_backups(Options& options, std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed ^ 0x6261636b7570));
    add_backups(options, prng);
}

Options rehearsal_options(std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed));
    Options options;
    options.seed = seed;
    options.engine = EngineChoice::automatic;
    options.cpu_count = static_cast<std::uint32_t>(prng.between(1, 2));
    options.max_memory_mb = 8;
    options.stop_on_error = false;
    options.test_cycle_duration_s = 1;
    options.cache_hit_ratio = prng.below(2) == 0 ? 1000 : 5000;
    options.use_scatter_gather = prng.below(4) != 0;
    options.write_through = prng.below(4) != 0;
    options.stamp_files = prng.below(4) == 0;
    options.checkpoint_pages = prng.below(2) == 0 ? 128 : 32;
    options.checkpoint_interval_ms = static_cast<std::uint32_t>(prng.between(100, 400));
    options.log_flushes_outstanding = static_cast<std::uint32_t>(prng.between(1, 8));
    options.random_user.user_count = static_cast<std::int32_t>(prng.between(1, 2));
    options.random_user.min_io_chain_pages = 8;
    options.random_user.max_io_chain_pages = 24;
    options.random_user.max_log_per_buffer_bytes = 512;
    options.random_user.read_write_ratio = prng.below(2) == 0 ? 3000 : 7000;
    options.random_user.sleep_after_ms = 100;
    options.audit_user = {.user_count = 1, .buffers_validated_pages = 32, .delay_after_cycles = 1, .delay_ms = 120};
    options.read_ahead_user = {.user_count = 1, .min_pages = 8, .max_pages = 32, .delay_after_cycles = 1, .delay_ms = 120};
    options.bulk_update_user = {.user_count = 1, .min_pages = 8, .max_pages = 32, .delay_after_cycles = 1, .delay_ms = 150};
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 1};
    options.files = {{.path = "/simulated/a.mdx", .initial_size_mb = 1, .max_size_mb = 2, .increment_mb = 1, .shrinkable = true},
                     {.path = "/simulated/log.ldx", .initial_size_mb = 1, .max_size_mb = 1, .is_log = true}};
    if (prng.below(4) == 0) options.files.push_back({.path = "/simulated/b.mdx", .initial_size_mb = 1, .max_size_mb = 1});
    // A snapshot of the first file: its copies go wrong as other pages do.
    if (prng.below(4) == 0) {
        options.files.push_back({.path = "/simulated/a.mdx:replica", .initial_size_mb = 1, .max_size_mb = 2, .sparse = true});
    }
    if (prng.below(4) == 0) add_backups(options, prng);
    add_recent_load(options, seed);
    add_shrinks(options, seed);
    return options;
}

}  // namespace sim
