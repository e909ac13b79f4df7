// Step 3 of load_options: relations between parameters, except for files.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "config/load_options.hpp"
#include "config/parameter_table.hpp"
#include "sim/limits.hpp"

namespace config {

namespace {

// A maximum may be given alone: the default of MinIOChainLength is that of SQLIOSim's samples, but SQLIOSim itself documents 1.
template <typename T>
void check_order(Draft& draft, T& min, const T& max) {
    if (min <= max) return;
    if (draft.is_specified(&min)) {
        draft.problems.error(fmt::format("{}: must not be above {}", draft.describe(&min), draft.refer_to(&max)));
        return;
    }
    draft.problems.warning(fmt::format("{}: lowered to {}, because of {}", draft.describe(&min), max, draft.refer_to(&max)));
    min = max;
}

void check_log_per_buffer(Draft& draft) {
    const std::uint32_t& bytes = draft.options.random_user.max_log_per_buffer_bytes;
    if (bytes % sim::kSectorBytes == 0 || sim::kSectorBytes % bytes == 0) return;
    draft.problems.error(fmt::format("{}: allowed: a multiple of the sector size of {} bytes, or a divisor of it", draft.describe(&bytes),
                                     sim::kSectorBytes));
}

void check_user_total(Draft& draft, const MachineFacts& machine) {
    const sim::Options& o = draft.options;
    const std::uint32_t cpu_count = std::clamp(o.cpu_count == 0 ? machine.cpu_count : o.cpu_count, 1U, sim::kCpusMax);
    const std::int32_t* counts[] = {&o.random_user.user_count,       &o.audit_user.user_count,       &o.read_ahead_user.user_count,
                                    &o.bulk_update_user.user_count,  &o.columnstore_user.user_count, &o.tempdb_user.user_count,
                                    &o.version_store_user.user_count};
    std::uint64_t total = 0;
    const std::int32_t* largest = counts[0];
    for (const std::int32_t* count : counts) {
        total += sim::user_count_for(*count, cpu_count);
        if (sim::user_count_for(*count, cpu_count) > sim::user_count_for(*largest, cpu_count)) largest = count;
    }
    const std::uint64_t allowed = std::uint64_t{cpu_count} * sim::kUsersPerCpu - sim::kUsersReserved;
    if (total <= allowed) return;
    draft.problems.error(fmt::format("{}: too many users, {} in all sections together; allowed: CPUCount x {} - {} = {} with {} CPU{}",
                                     draft.describe(largest), total, sim::kUsersPerCpu, sim::kUsersReserved, allowed, cpu_count,
                                     cpu_count == 1 ? "" : "s"));
}

// A scheduler cannot be bound to a CPU that does not exist: it would run anywhere, unnoticed.
void check_affinity(Draft& draft, const std::uint64_t& mask, const MachineFacts& machine) {
    if (machine.cpus == 0 || (mask & ~machine.cpus) == 0) return;
    draft.problems.error(fmt::format("{}: names CPUs that this process cannot use; allowed: bits of {:#x}, or 0 for all",
                                     draft.describe(&mask), machine.cpus));
}

// A full backup begins the wait for a differential one anew, and only the main run makes differential ones.
void check_differentials(Draft& draft) {
    const sim::Options& o = draft.options;
    const std::uint32_t& interval_s = o.backup_user.differential_interval_s;
    const std::uint32_t& full_s = o.backup_user.full_interval_s;
    if (interval_s == 0) return;
    if (full_s != 0 && full_s <= interval_s) {
        draft.problems.warning(fmt::format("{}: no differential backup will be made, because the next full one comes before it with {}",
                                           draft.describe(&interval_s), draft.refer_to(&full_s)));
    } else if (interval_s >= o.test_cycle_duration_s) {
        draft.problems.warning(fmt::format("{}: no differential backup will be made, because the main run ends before it with {}",
                                           draft.describe(&interval_s), draft.refer_to(&o.test_cycle_duration_s)));
    }
}

// A full backup begins the wait for a log backup anew, too; but one follows the main run, and log that waits is backed up early. The wait
// for the next full backup begins only when this one has been read back, and meanwhile the log is backed up.
void check_log_backups(Draft& draft) {
    const sim::Options& o = draft.options;
    const bool is_read_back = o.backup_user.verify;
    const std::uint32_t& interval_s = o.backup_user.log_interval_s;
    const std::uint32_t& full_s = o.backup_user.full_interval_s;
    if (interval_s == 0 || full_s == 0 || full_s > interval_s || full_s >= o.test_cycle_duration_s) return;
    if (is_read_back && full_s == interval_s) return;
    const std::string when = is_read_back
                                 ? fmt::format("is reached only if a backup takes {} s or longer to be read back", interval_s - full_s)
                                 : std::string("is never reached");
    draft.problems.warning(
        fmt::format("{}: {}, because the next full backup comes before it with {}; log is backed up only when a quarter of it waits, and "
                    "after the main run",
                    draft.describe(&interval_s), when, draft.refer_to(&full_s)));
}

void check_backups(Draft& draft) {
    const sim::Options& o = draft.options;
    const sim::BackupUserOptions& backup = o.backup_user;
    if (backup.max_transfer_kb % sim::kBackupTransferKbMin != 0) {
        draft.problems.error(
            fmt::format("{}: allowed: a multiple of {} KB", draft.describe(&backup.max_transfer_kb), sim::kBackupTransferKbMin));
    }
    if (!backup.is_on()) {
        const bool wants_restore = !backup.restore_folder.empty();
        if (wants_restore) {
            draft.problems.warning(
                fmt::format("{}: has no effect while {}", draft.describe(&backup.restore_folder), draft.refer_to(&backup.folders)));
        }
        return;
    }
    std::uint64_t folders = 0;
    bool is_name = false;
    for (const char c : backup.folders) {
        folders += c != '|' && !is_name ? 1 : 0;
        is_name = c != '|';
    }
    if (folders == 0) {
        draft.problems.error(fmt::format("{}: names no folder; allowed: folders with | between them", draft.describe(&backup.folders)));
        return;
    }
    const std::uint64_t stripes = folders * backup.stripes_per_folder;
    if (stripes > sim::kBackupStripesMax) {
        draft.problems.error(fmt::format("{}: {} backup files in {} folders; allowed: at most {} in all folders together",
                                         draft.describe(&backup.stripes_per_folder), stripes, folders, sim::kBackupStripesMax));
    }
    // Each file has an id: a restored file for each data file, the stripes, and the chain.
    if (2 * o.files.size() + stripes + 1 > sim::kFilesMax) {
        draft.problems.error(fmt::format("{}: too many files with those of the backups; allowed: at most {} in all",
                                         draft.describe(&backup.folders), sim::kFilesMax));
    }
    check_differentials(draft);
    check_log_backups(draft);
}

}  // namespace

void check_options(Draft& draft, const MachineFacts& machine) {
    sim::Options& o = draft.options;
    check_order(draft, o.random_user.min_io_chain_pages, o.random_user.max_io_chain_pages);
    check_order(draft, o.random_user.min_log_per_buffer_bytes, o.random_user.max_log_per_buffer_bytes);
    check_order(draft, o.random_user.cpu_cycles_min, o.random_user.cpu_cycles_max);
    check_order(draft, o.read_ahead_user.min_pages, o.read_ahead_user.max_pages);
    check_order(draft, o.bulk_update_user.min_pages, o.bulk_update_user.max_pages);
    check_order(draft, o.shrink_user.min_interval_s, o.shrink_user.max_interval_s);
    check_order(draft, o.shrink_user.min_extends, o.shrink_user.max_extends);
    check_order(draft, o.columnstore_user.min_segment_kb, o.columnstore_user.max_segment_kb);
    check_order(draft, o.tempdb_user.min_spill_kb, o.tempdb_user.max_spill_kb);
    check_order(draft, o.version_store_user.min_pages, o.version_store_user.max_pages);
    check_log_per_buffer(draft);
    check_user_total(draft, machine);
    check_backups(draft);
    check_affinity(draft, o.affinity, machine);
    check_affinity(draft, o.io_affinity, machine);
    if (!o.no_buffering && o.use_scatter_gather) {
        draft.problems.warning(
            fmt::format("{}: has no effect while {}", draft.describe(&o.no_buffering), draft.refer_to(&o.use_scatter_gather)));
    }
    if (o.random_user.cpu_simulation && o.random_user.cpu_cycles_max == 0) {
        draft.problems.warning(fmt::format("{}: has no effect while {}", draft.describe(&o.random_user.cpu_simulation),
                                           draft.refer_to(&o.random_user.cpu_cycles_max)));
    }
    if (o.audit_user.snapshot_check_delay_s != 0 && !o.audit_user.checks_snapshot) {
        draft.problems.warning(fmt::format("{}: has no effect while {}", draft.describe(&o.audit_user.snapshot_check_delay_s),
                                           draft.refer_to(&o.audit_user.checks_snapshot)));
    }
}

}  // namespace config
