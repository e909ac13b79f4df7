// The parts of a run that exist only while its files are open, in the order in which they are created. They are destroyed in reverse order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "sim/backup/backup.hpp"
#include "sim/buffer/snapshot.hpp"
#include "sim/context/run_context.hpp"
#include "sim/context/tempdb_space.hpp"
#include "sim/log/log_auditor.hpp"
#include "sim/log/log_growth.hpp"
#include "sim/run/drive_watch.hpp"
#include "sim/run/phases.hpp"
#include "sim/run/time_series.hpp"
#include "sim/workers/checkpoint.hpp"
#include "sim/workers/lazy_writer.hpp"

namespace sim {

struct RunParts {
    // Memory comes first, before files are touched. `claimed`: all files, as they will be used. Throws std::bad_alloc.
    void reserve(const Options& options, std::uint64_t pool_bytes, std::span<const FileOptions> claimed);

    // Then the files, one by one in the same order.
    void add_file(SimFile::Setup setup, const FileContext& of_run);

    // Then, in the same way, those of backup_files().
    void add_backup_file(SimFile::Setup setup, const BackupUserOptions& options, const FileContext& of_run);

    struct Start {
        const LogPosition* position = nullptr;  // where the log of a run continues whose pages the ledgers know; null for a new run
        bool promises = false;                  // what the storage has acknowledged is also kept outside it
        RunGroup* group = nullptr;              // this run is one of several
    };
    // Then the rest, from the `options` as far as the memory allows: what does not fit is reduced there. All references must outlive the
    // parts. Throws std::bad_alloc.
    void assemble(Options& options, std::uint64_t run_id, ums::Storage& storage, ums::SchedulerGroup& schedulers, RunState& run,
                  Journal& journal, const Start& start);

    // How much log a checkpoint takes at most. When all files have been added.
    [[nodiscard]] std::uint64_t checkpoint_bytes() const;

    struct ReplicaPair {
        DataFile* source = nullptr;
        DataFile* replica = nullptr;
    };
    std::vector<ReplicaPair> pair_replicas(const Options& options);
    void add_snapshot(const Options& options, const ReplicaPair& pair);
    void open_promises(const Options& options);

    std::deque<PageLedger> ledgers;  // of data files that are still to be added
    std::vector<std::unique_ptr<DataFile>> data_files;
    std::vector<std::unique_ptr<SimFile>> log_files;
    std::vector<SimFile*> files;             // all, in the order of the configuration
    std::vector<SimFile*> files_of_backups;  // as they were added
    std::vector<DriveWatch> drives;          // of `files`; from whoever adds these
    std::unique_ptr<BufferPool> pool;
    std::unique_ptr<PromiseBook> promises;  // null: there is no keeper
    std::unique_ptr<LogManager> log;
    std::unique_ptr<LogGrowth> log_growth;
    std::unique_ptr<LogAuditor> log_auditor;
    std::unique_ptr<PageDiagnosis> diagnosis;
    std::unique_ptr<PageChecker> checker;
    std::unique_ptr<BufferManager> buffers;
    std::unique_ptr<RunContext> context;
    std::unique_ptr<TempdbSpace> tempdb;  // null: there are no such users
    std::vector<std::unique_ptr<Snapshot>> snapshots;
    std::unique_ptr<WholeFileWork> whole_files;
    std::unique_ptr<Checkpoint> checkpoint;
    std::unique_ptr<LazyWriter> lazy_writer;
    BackupFiles backup_files;
    std::unique_ptr<Backup> backup;
    WorkCounters initial_update;
    WorkCounters final_audit;
    std::unique_ptr<TimeSeries> time_series;
    ums::Event monitors_stop;
    ums::TaskGroup writers;  // checkpoint and lazy writer: need the log
    ums::TaskGroup log_writer;
    ums::TaskGroup backups;
    ums::TaskGroup monitors;
};

}  // namespace sim
