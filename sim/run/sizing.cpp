#include "sim/run/sizing.hpp"

#include <algorithm>

#include "sim/files/file_names.hpp"
#include "sim/limits.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kBytesPerMb = 1024ULL * 1024;
constexpr std::uint64_t kLedgerEntryBytes = 16;

// The working set must not fit: a pool that holds all data gives the lazy writer nothing to do.
constexpr std::uint64_t kDataForPool = 4;

std::uint64_t data_files_mb(const Options& options, std::uint64_t FileOptions::*size_mb) {
    std::uint64_t sum_mb = 0;
    for (const FileOptions& file : options.files) {
        if (!file.is_log && !is_transient(file, options.files)) sum_mb += std::max(file.initial_size_mb, file.*size_mb);
    }
    return sum_mb;
}

}  // namespace

std::uint32_t cpu_count_for(const Options& options, const ums::Machine& machine) {
    return std::min(options.cpu_count > 0 ? options.cpu_count : machine.cpu_count, kCpusMax);
}

std::uint64_t default_pool_mb(const ums::Machine& machine) { return machine.available_bytes / 2 / kBytesPerMb; }

std::uint64_t pool_mb_max(const ums::Machine& machine) {
    constexpr std::uint64_t kRoomMbMin = 16;
    const std::uint64_t memory_mb = machine.memory_bytes / kBytesPerMb;
    return memory_mb - std::min(memory_mb, std::max(kRoomMbMin, memory_mb / 16));
}

std::uint64_t ledger_mb(const Options& options) {
    std::uint64_t sum_mb = 0;
    for (const FileOptions& file : options.files) {
        if (!file.is_log && !file.sparse) sum_mb += file.initial_size_mb;
    }
    return sum_mb * kLedgerEntryBytes / kPageBytes;
}

std::uint64_t backup_mb(const Options& options) {
    constexpr std::uint64_t kKbPerMb = 1024;
    constexpr std::uint64_t kLsnBytes = 8;
    const BackupUserOptions& backup = options.backup_user;
    if (!backup.is_on()) return 0;
    const std::uint64_t buffers_mb = std::uint64_t{backup.buffer_count} * backup.max_transfer_kb / kKbPerMb;
    const bool has_differentials = backup.differential_interval_s != 0;
    const std::uint64_t lsns_mb = has_differentials ? data_files_mb(options, &FileOptions::max_size_mb) * kLsnBytes / kPageBytes : 0;
    const std::uint64_t copies = 1U + (has_differentials ? 1U : 0U) + (backup.restore_folder.empty() ? 0U : 1U);
    const std::uint64_t copied_mb = copies * data_files_mb(options, &FileOptions::initial_size_mb);
    return buffers_mb + lsns_mb + copied_mb * kLedgerEntryBytes / kPageBytes;
}

std::uint64_t pool_mb_for(const Options& options, const ums::Machine& machine) {
    const bool is_given = options.max_memory_mb > 0;
    std::uint64_t pool_mb = is_given
                                ? options.max_memory_mb
                                : std::min(default_pool_mb(machine), data_files_mb(options, &FileOptions::initial_size_mb) / kDataForPool);
    if (machine.memory_bytes > 0) {
        const std::uint64_t room_mb = pool_mb_max(machine);
        pool_mb = std::min(pool_mb, room_mb - std::min(room_mb, ledger_mb(options) + backup_mb(options)));
    }
    return std::max(std::min(pool_mb, data_files_mb(options, &FileOptions::max_size_mb)), kBufferPoolMbMin);
}

}  // namespace sim
