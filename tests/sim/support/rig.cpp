#include "tests/sim/support/rig.hpp"

#include "sim/files/file_creator.hpp"

namespace sim::testing {

Rig::Rig(const RigOptions& rig_options) : settings(rig_options) {
    options.cpu_count = settings.cpu_count;
    options.cache_hit_ratio = settings.cache_hit_ratio;
    // Through the system's cache: these tests are about the program, not the disk.
    options.no_buffering = false;
    options.use_scatter_gather = false;
    options.write_through = false;
    for (std::uint32_t i = 0; i < settings.data_files; ++i) {
        options.files.push_back({.path = data_path(i), .initial_size_mb = settings.data_mb, .max_size_mb = 2 * settings.data_mb});
    }
    options.files.push_back({.path = log_path(), .initial_size_mb = settings.log_mb, .max_size_mb = settings.log_mb, .is_log = true});
}

ums::Task<void> Rig::open() {
    FileCreator creator(options, storage, journal, kRunId);
    const std::vector<NumberedFile> wanted = numbered(options.files);
    co_await creator.claim(wanted);
    co_await creator.replace_old_files();
    const FileContext context{storage, outstanding_, state, journal, load_of(options)};
    std::vector<SimFile*> logs;
    for (std::size_t i = 0; i < options.files.size(); ++i) {
        const FileOptions& file = options.files[i];
        SimFile::Setup setup = co_await creator.prepare(i);
        if (file.is_log) {
            log_files.push_back(std::make_unique<SimFile>(std::move(setup), context));
            logs.push_back(log_files.back().get());
        } else {
            PageLedger ledger((file.max_size_mb << 20) / kPageBytes);
            data_files.push_back(std::make_unique<DataFile>(std::move(setup), std::move(ledger), context));
            data_files.back()->ledger.acknowledge(0, 1, 0, data_files.back()->file.signature_checksum().value());
        }
    }
    log = std::make_unique<LogManager>(LogSetup{logs, kRunId, settings.log_flushes_max, settings.log_alignment_bytes}, state, journal);
    pool = std::make_unique<BufferPool>(settings.pool_bytes, 4096);
    diagnosis = std::make_unique<PageDiagnosis>(kRunId, settings.repairs, data_files, *pool, state, journal);
    checker = std::make_unique<PageChecker>(kRunId, *diagnosis);
    buffers = std::make_unique<BufferManager>(*pool, *checker, state, journal, settings.cache_hit_ratio);
    (*schedulers)[0].spawn(log_writer_, "Log Writer", log->run_writer());
}

ums::Task<void> Rig::close() {
    log->stop();
    co_await log_writer_.join();
    buffers.reset();
    checker.reset();
    pool.reset();
    log.reset();
    log_files.clear();
    data_files.clear();
}

ums::Task<std::uint64_t> Rig::change_page(DataFile& file, std::uint32_t page, FixIntent intent) {
    constexpr std::uint64_t kRecordBytes = 64;
    LogReservation reservation = co_await log->space().reserve(kRecordBytes);
    ums::Prng prng(clock.now_ns());
    FixedPage fixed = co_await buffers->fix(file, page, intent, prng);
    if (!fixed) co_return 0;
    LogChange change;
    change.kind = LogRecordKind::page_update;
    change.file_id = file.file.id();
    change.page_id = page;
    change.version = BufferManager::change(file, fixed.frame());
    const std::uint64_t lsn = co_await log->append(reservation, change, kRecordBytes);
    BufferManager::logged(fixed.frame(), lsn);
    co_return lsn;
}

ums::Task<void> Rig::write_pages(DataFile& file, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) co_await change_page(file, first + i);
    PageWriter writer = make_writer();
    for (std::uint32_t page = first; page < first + count;) {
        const PageWriter::Written written = co_await writer.write_around(file, page, true);
        page = written.end_page;
    }
}

void Rig::forget_pages(DataFile& file, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) pool->evict({file.file.id(), first + i});
}

}  // namespace sim::testing
