// What the operations of a backup share: its files and its buffers. Owned by Backup; outlives every task.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/backup/backup_chain.hpp"
#include "sim/backup/page_transfers.hpp"
#include "sim/backup_results.hpp"
#include "sim/context/run_context.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/spinlock.hpp"
#include "ums/sched/task.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

// How long an operation of a backup takes.
class WorkClock {
public:
    explicit WorkClock(const ums::Clock& clock) : clock_(clock), start_ns_(clock.now_ns()) {}

    [[nodiscard]] std::uint64_t elapsed_us() const { return (clock_.now_ns() - start_ns_) / 1000; }
    // The operation is done.
    void add_to(BackupWork& work, std::uint64_t pages, std::uint64_t log_bytes) const {
        ++work.count;
        work.pages += pages;
        work.log_bytes += log_bytes;
        work.duration_us += elapsed_us();
        work.max_duration_us = std::max(work.max_duration_us, elapsed_us());
    }

private:
    const ums::Clock& clock_;
    const std::uint64_t start_ns_;
};

// The open files of all backups of a run.
struct BackupFiles {
    std::vector<std::unique_ptr<DataFile>> data_files;  // the stripes, then the restored files, one for each source, in the same order
    std::uint32_t stripe_count = 0;
    std::unique_ptr<SimFile> chain;
};

// A data file that is backed up.
struct BackupSource {
    DataFile* data = nullptr;
    DataFile* restored = nullptr;            // null: nothing is restored
    std::vector<std::uint64_t> base_lsns{};  // by page, as of the last full backup; only if differential backups are made
};

// BufferCount buffers of MaxTransferSize.
class BackupBuffers {
public:
    BackupBuffers(std::uint32_t count, std::uint64_t buffer_bytes)
        : memory_(count * buffer_bytes, ums::MemoryKind::plain), free_count_(count) {
        for (std::uint32_t i = 0; i < count; ++i) free_.push_back(memory_.data() + i * buffer_bytes);
    }

    ums::Task<std::byte*> acquire() {
        co_await free_count_.acquire(1, ums::WaitType::backupbuffer);
        const std::lock_guard guard(lock_);
        std::byte* const buffer = free_.back();
        free_.pop_back();
        co_return buffer;
    }
    void release(std::byte* buffer) {
        {
            const std::lock_guard guard(lock_);
            free_.push_back(buffer);
        }
        free_count_.release(1);
    }

private:
    const ums::MemoryRegion memory_;
    ums::Semaphore free_count_;
    ums::Spinlock lock_;
    std::vector<std::byte*> free_;
};

struct BackupParts {
    // The references must outlive the object.
    BackupParts(RunContext& run_context, BackupFiles& opened);

    [[nodiscard]] PageTransfers make_transfers() {
        return {context.run_id, context.buffers.pool(), context.buffers.checker(), context.run, context.journal};
    }
    [[nodiscard]] DataFile& stripe(std::uint32_t number) { return *files.data_files[number]; }
    // Starts ReaderCount tasks under this name, spread over the schedulers.
    void spawn_tasks(ums::TaskGroup& group, const std::string& name, const std::function<ums::Task<void>()>& make_task);
    // If writes are not durable by themselves.
    ums::Task<bool> sync(SimFile& file);
    // What is read next comes from the storage.
    ums::Task<void> drop_cache(SimFile& file) const;
    // Resizes a file to `pages`, of which only the first `kept_pages` keep their contents. False if there is no room; a warning says so.
    ums::Task<bool> empty(DataFile& data, std::uint32_t kept_pages, std::uint32_t pages);
    // The pages of a file of the run. Waits until nobody is changing its size, because a cut is logged before it is made, and a growth that
    // fails is taken back without a record.
    static ums::Task<std::uint32_t> settled_pages(DataFile& data);

    RunContext& context;
    const BackupUserOptions& options;
    const std::uint32_t block_pages;
    BackupFiles& files;
    BackupChain chain;
    BackupBuffers buffers;
    std::vector<BackupSource> sources;
};

}  // namespace sim
