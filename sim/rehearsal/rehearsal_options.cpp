#include "sim/rehearsal/rehearsal_options.hpp"

#include <algorithm>

#include "sim/files/file_names.hpp"
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
    backup.differential_interval_s = prng.below(4) == 0 ? 1 : 0;
    backup.full_interval_s = prng.below(8) == 0 ? 1 : 0;
    // What is not read back after the backup is read when it is restored.
    backup.verify = backup.restore_folder.empty() || prng.below(8) != 0;
    options.random_user.min_log_per_buffer_bytes = 64;
    options.random_user.max_log_per_buffer_bytes = 512;
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

// Changes that need a second log record, in a log that has room for some of them; fewer changes, because each is a hundred times as long.
void add_long_records(Options& options) {
    if (options.backup_user.is_on()) return;
    FileOptions& log = options.files[1];
    log.initial_size_mb = std::max<std::uint64_t>(log.initial_size_mb, 2);
    log.max_size_mb = std::max(log.max_size_mb, log.initial_size_mb);
    options.random_user.min_io_chain_pages = 1;
    options.random_user.max_io_chain_pages = 4;
    options.random_user.min_log_per_buffer_bytes = 57'344;
    options.random_user.max_log_per_buffer_bytes = 63'488;
}

// What most runs leave as it is: each in an eighth of them, or fewer. With a generator of its own, so that it can be extended without
// changing what else a seed draws.
void add_rare_settings(Options& options, std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed ^ 0x72617265));
    const auto is_drawn = [&prng](std::uint64_t one_in) { return prng.below(one_in) == 0; };
    if (is_drawn(8)) add_long_records(options);
    if (is_drawn(8)) options.merge_buffers = true;
    if (is_drawn(8)) options.force_read_ahead = false;
    if (is_drawn(8)) options.max_outstanding_io = static_cast<std::uint32_t>(prng.between(1, 16));
    if (is_drawn(8)) {
        options.allow_io_bursts = false;
        options.target_io_duration_ms = 1;
    }
    if (is_drawn(8)) options.checkpoint_interval_ms = prng.below(2) == 0 ? 10 : 60'000;
    if (is_drawn(8)) options.random_user.rollback_chance = 5000;
    if (is_drawn(8)) options.random_user.jump_to_new_region_chance = 10'000;
    if (is_drawn(8)) options.random_user.yield_chance = 10'000;
    if (is_drawn(16)) options.test_cycles = 2;
    if (is_drawn(8)) options.files[0].sparse = true;
    // Not all files become durable in the same way.
    if (is_drawn(8)) {
        options.files[prng.below(2)].durability = options.write_through ? Durability::forced_flush : Durability::write_through;
    }
    // The log grows with zeros, too.
    const bool grows = is_drawn(8) && !options.recent.log_instant_growth;
    if (grows) {
        options.files[1].increment_mb = 1;
        options.files[1].max_size_mb = options.files[1].initial_size_mb + 2;
    }
    const bool has_replica = std::any_of(options.files.begin(), options.files.end(),
                                         [&options](const FileOptions& file) { return source_of_replica(file, options.files) != nullptr; });
    if (has_replica && is_drawn(2)) {
        options.audit_user.checks_snapshot = true;
        options.audit_user.snapshot_check_delay_s = 1;
    }
    if (is_drawn(8)) options.files.push_back({.path = "/simulated/log2.ldx", .initial_size_mb = 1, .max_size_mb = 1, .is_log = true});
    if (is_drawn(16)) options.stop_on_error = true;
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
    add_rare_settings(options, seed);
    return options;
}

}  // namespace sim
