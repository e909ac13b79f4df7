#include "sim/run/run_parts.hpp"

#include <algorithm>
#include <utility>

#include "sim/backup/backup_files.hpp"
#include "sim/files/file_names.hpp"
#include "sim/log/log_space.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

using ums::kMb;

// Limits for what a checkpoint records about pages: in bytes, and as a share of the log.
constexpr std::uint64_t kSumsBytesMax = 256 << 10;
constexpr std::uint64_t kSumsPerLogBytes = 64;

// The changes of a replica are not logged. `is_left`: the pages are those of a run that goes on.
PageSums sums_of(const std::vector<std::unique_ptr<DataFile>>& data_files, const std::vector<std::unique_ptr<SimFile>>& log_files,
                 bool is_left) {
    std::vector<SummedFile> summed;
    for (const auto& data : data_files) {
        if (!data->is_apart) summed.push_back({data->file.id(), data->file.pages(), data->ledger.pages_max()});
    }
    std::uint64_t log_bytes = 0;
    for (const auto& log : log_files) log_bytes += log->size_bytes();
    PageSums sums(summed, std::min(kSumsBytesMax, log_bytes / kSumsPerLogBytes));
    if (!is_left) return sums;
    for (const auto& data : data_files) {
        const std::uint32_t id = data->file.id();
        const auto version_of = [&data](std::uint32_t page) -> std::uint32_t { return data->ledger[page].version; };
        if (!data->is_apart) sums.replace(id, sums.resized(sums.file(id), data->file.pages(), version_of, true));
    }
    return sums;
}

// Pages that are transferred without the pool are also held by frames.
std::uint64_t frames_for_backups(const BackupUserOptions& options) {
    if (!options.is_on()) return 0;
    const std::uint64_t block_pages = std::uint64_t{options.max_transfer_kb} * 1024 / kPageBytes;
    return block_pages * (options.reader_count + options.buffer_count);
}

// A read-ahead must leave memory for the others.
void limit_transfers(Options& options, std::uint32_t pages_max) {
    ReadAheadUserOptions& read_ahead = options.read_ahead_user;
    read_ahead.max_pages = std::min(read_ahead.max_pages, pages_max);
    read_ahead.min_pages = std::min(read_ahead.min_pages, read_ahead.max_pages);
    ColumnstoreUserOptions& columnstore = options.columnstore_user;
    columnstore.max_segment_kb = std::min(columnstore.max_segment_kb, pages_max * (kPageBytes / 1024));
    columnstore.min_segment_kb = std::min(columnstore.min_segment_kb, columnstore.max_segment_kb);
    options.audit_user.buffers_validated_pages = std::min(options.audit_user.buffers_validated_pages, pages_max);
}

}  // namespace

void RunParts::reserve(const Options& options, std::uint64_t pool_bytes, std::span<const FileOptions> claimed) {
    const std::uint64_t tasks_max = std::uint64_t{options.cpu_count} * kUsersPerCpu + std::uint64_t{2} * kTransferPagesMax;
    pool = std::make_unique<BufferPool>(pool_bytes, tasks_max + frames_for_backups(options.backup_user));
    // A file that exists may be larger than its MaxSize, and its replica must have room for all of it.
    std::vector<FileOptions> fitted(claimed.begin(), claimed.end());
    fit_replicas(fitted);
    for (const FileOptions& file : fitted) {
        if (!file.is_log) ledgers.emplace_back(file.max_size_mb * kMb / kPageBytes);
    }
}

void RunParts::add_file(SimFile::Setup setup, const FileContext& of_run) {
    if (setup.options.is_log) {
        log_files.push_back(std::make_unique<SimFile>(std::move(setup), of_run));
        files.push_back(log_files.back().get());
        return;
    }
    data_files.push_back(std::make_unique<DataFile>(std::move(setup), std::move(ledgers.front()), of_run));
    ledgers.pop_front();
    DataFile& data = *data_files.back();
    if (const auto checksum = data.file.signature_checksum()) data.ledger.acknowledge(0, 1, 0, *checksum);
    files.push_back(&data.file);
}

void RunParts::add_backup_file(SimFile::Setup setup, const BackupUserOptions& options, const FileContext& of_run) {
    if (setup.options.role == FileRole::backup_chain) {
        backup_files.chain = std::make_unique<SimFile>(std::move(setup), of_run);
        files_of_backups.push_back(backup_files.chain.get());
        return;
    }
    std::vector<FileOptions> all_options;
    for (const auto& data : data_files) all_options.push_back(data->file.options());
    std::vector<std::uint64_t> pages_max;
    for (const auto& data : data_files) {
        if (source_of_replica(data->file.options(), all_options) == nullptr) pages_max.push_back(data->ledger.pages_max());
    }
    const bool is_stripe = setup.options.role == FileRole::backup;
    const std::size_t restored = backup_files.data_files.size() - backup_files.stripe_count;
    const std::uint64_t written_max = is_stripe ? stripe_pages_max(options, pages_max) : pages_max.at(restored);
    PageLedger ledger(std::max(written_max, setup.size_bytes / kPageBytes));
    if (const auto checksum = setup.signature_checksum) ledger.acknowledge(0, 1, 0, *checksum);
    backup_files.data_files.push_back(std::make_unique<DataFile>(std::move(setup), std::move(ledger), of_run));
    files_of_backups.push_back(&backup_files.data_files.back()->file);
    if (is_stripe) ++backup_files.stripe_count;
}

std::uint64_t RunParts::checkpoint_bytes() const { return checkpoint_bytes_for(sums_of(data_files, log_files, false)); }

void RunParts::assemble(Options& options, std::uint64_t run_id, ums::Storage& storage, ums::SchedulerGroup& schedulers, RunState& run,
                        Journal& journal, const Start& start) {
    const std::vector<ReplicaPair> replicas = pair_replicas(options);
    std::vector<DataFile*> tempdb_files;
    for (const auto& data : data_files) {
        if (!data->file.options().is_tempdb) continue;
        data->is_apart = true;
        tempdb_files.push_back(data.get());
    }
    LogSetup setup;
    for (const auto& file : log_files) setup.files.push_back(file.get());
    setup.run_id = run_id;
    setup.flushes_max = options.log_flushes_outstanding;
    setup.flushed_kb_max = options.recent.log_kb_outstanding;
    setup.alignment_bytes = log_alignment_bytes(setup.files, storage);
    setup.sums = sums_of(data_files, log_files, start.position != nullptr);
    if (start.position != nullptr) setup.position = *start.position;
    if (start.promises) open_promises(options);
    setup.promises = promises.get();
    log = std::make_unique<LogManager>(std::move(setup), run, journal);
    log_auditor = std::make_unique<LogAuditor>(*log, data_files, run, journal);
    log_growth = std::make_unique<LogGrowth>(*log, log_files, options.recent.log_instant_growth, run, journal, promises.get());
    diagnosis = std::make_unique<PageDiagnosis>(run_id, !options.stop_on_error, data_files, *pool, run, journal);
    diagnosis->promise_to(promises.get());
    if (start.position == nullptr) diagnosis->knows_all_writes();
    checker = std::make_unique<PageChecker>(run_id, *diagnosis);
    buffers = std::make_unique<BufferManager>(*pool, *checker, run, journal, options.cache_hit_ratio);
    context.reset(new RunContext{options, run_id, run, journal, schedulers, data_files, *log, *buffers, promises.get(), start.group});
    for (const ReplicaPair& pair : replicas) add_snapshot(options, pair);
    if (!tempdb_files.empty()) {
        tempdb = std::make_unique<TempdbSpace>(tempdb_files);
        context->tempdb = tempdb.get();
    }
    whole_files = std::make_unique<WholeFileWork>(*context);
    checkpoint = std::make_unique<Checkpoint>(*context);
    lazy_writer = std::make_unique<LazyWriter>(*context);
    for (const auto& data : backup_files.data_files) diagnosis->add_file(*data);
    if (backup_files.chain) backup = std::make_unique<Backup>(*context, backup_files, *checkpoint, *log_auditor);
    if (!time_series) time_series = std::make_unique<TimeSeries>(files, journal.clock(), journal.start_ns());
    limit_transfers(options, context->transfer_pages_max());
}

// The changes of a replica are not logged: nothing is promised of it.
void RunParts::open_promises(const Options& options) {
    std::vector<PromiseBook::BookedFile> booked;
    for (const SimFile* file : files) {
        if (is_transient(file->options(), options.files)) continue;
        booked.push_back({file->id(), file->options().is_log,
                          file->writes_are_durable() ? PromiseBook::Counting::at_once
                          : file->needs_flushes()    ? PromiseBook::Counting::after_a_sync
                                                     : PromiseBook::Counting::never});
    }
    promises = std::make_unique<PromiseBook>(booked);
}

std::vector<RunParts::ReplicaPair> RunParts::pair_replicas(const Options& options) {
    std::vector<ReplicaPair> pairs;
    for (const auto& replica : data_files) {
        const FileOptions* const source = source_of_replica(replica->file.options(), options.files);
        if (source == nullptr) continue;
        const auto found =
            std::find_if(data_files.begin(), data_files.end(), [&](const auto& data) { return data->file.path() == source->path; });
        if (found == data_files.end()) continue;
        replica->is_apart = true;
        pairs.push_back({found->get(), replica.get()});
    }
    return pairs;
}

void RunParts::add_snapshot(const Options& options, const ReplicaPair& pair) {
    const Snapshot::Settings settings{context->run_id, options.use_scatter_gather ? options.checkpoint_pages : 1};
    snapshots.push_back(
        std::make_unique<Snapshot>(settings, *pair.source, *pair.replica, *buffers, context->run, context->journal, context->snapshots));
    pair.source->snapshot = snapshots.back().get();
}

}  // namespace sim
