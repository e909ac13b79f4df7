#include "sim/run/run_parts.hpp"

#include <algorithm>
#include <utility>

#include "ums/base/memory_region.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kMb = 1 << 20;

// A disk with 4 KB sectors refuses shorter unbuffered writes: asked, not guessed.
std::uint32_t log_alignment_bytes(const std::vector<std::unique_ptr<SimFile>>& logs, ums::Storage& storage) {
    constexpr std::uint32_t kLargeSectorBytes = 4096;
    const ums::MemoryRegion buffer(kLargeSectorBytes, ums::MemoryKind::plain);
    for (const auto& file : logs) {
        std::size_t transferred = 0;
        if (storage.read(file->transfer_handle(), kSectorBytes, buffer.data(), kSectorBytes, transferred)) return kLargeSectorBytes;
    }
    return kSectorBytes;
}

// A read-ahead must leave memory for the others.
void limit_transfers(Options& options, std::uint32_t pages_max) {
    ReadAheadUserOptions& read_ahead = options.read_ahead_user;
    read_ahead.max_pages = std::min(read_ahead.max_pages, pages_max);
    read_ahead.min_pages = std::min(read_ahead.min_pages, read_ahead.max_pages);
    options.audit_user.buffers_validated_pages = std::min(options.audit_user.buffers_validated_pages, pages_max);
}

}  // namespace

void RunParts::add_file(SimFile::Setup setup, ums::Storage& storage, ums::Semaphore& outstanding, const RunState& run, Journal& journal) {
    drives.push_back(read_drive_facts(setup.options.path));
    if (setup.options.is_log) {
        log_files.push_back(std::make_unique<SimFile>(std::move(setup), storage, outstanding, run, journal));
        files.push_back(log_files.back().get());
        return;
    }
    const std::uint64_t pages_max = std::max(setup.options.max_size_mb * kMb, setup.size_bytes) / kPageBytes;
    data_files.push_back(std::make_unique<DataFile>(std::move(setup), pages_max, storage, outstanding, run, journal));
    DataFile& data = *data_files.back();
    data.ledger.acknowledge(0, 1, 0, data.file.signature_checksum());
    files.push_back(&data.file);
}

void RunParts::assemble(Options& options, std::uint64_t run_id, std::uint64_t pool_bytes, ums::Storage& storage,
                        ums::SchedulerGroup& schedulers, RunState& run, Journal& journal) {
    std::vector<SimFile*> logs;
    for (const auto& file : log_files) logs.push_back(file.get());
    log =
        std::make_unique<LogManager>(logs, run_id, options.log_flushes_outstanding, log_alignment_bytes(log_files, storage), run, journal);
    log_auditor = std::make_unique<LogAuditor>(*log, data_files, run, journal);
    log_growth = std::make_unique<LogGrowth>(*log, log_files, run, journal);
    const std::uint64_t tasks_max = std::uint64_t{options.cpu_count} * kUsersPerCpu + std::uint64_t{2} * kTransferPagesMax;
    pool = std::make_unique<BufferPool>(pool_bytes, tasks_max);
    diagnosis = std::make_unique<PageDiagnosis>(run_id, !options.stop_on_error, data_files, *pool, run, journal);
    checker = std::make_unique<PageChecker>(run_id, *diagnosis);
    buffers = std::make_unique<BufferManager>(*pool, *checker, run, journal, options.cache_hit_ratio);
    context.reset(new RunContext{options, run_id, run, journal, schedulers, data_files, *log, *buffers});
    whole_files = std::make_unique<WholeFileWork>(*context);
    checkpoint = std::make_unique<Checkpoint>(*context);
    lazy_writer = std::make_unique<LazyWriter>(*context);
    time_series = std::make_unique<TimeSeries>(files, journal.clock(), journal.start_ns());
    limit_transfers(options, context->transfer_pages_max());
}

}  // namespace sim
