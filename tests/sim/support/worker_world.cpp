#include "tests/sim/support/worker_world.hpp"

#include <algorithm>
#include <utility>

#include "sim/files/file_creator.hpp"

namespace sim::testing {

namespace {
constexpr std::uint64_t kWorldRunId = 4711;
}  // namespace

WorkerWorld::WorkerWorld() {
    options.cpu_count = 1;
    options.files = {{.path = "/memory/data.mdx", .initial_size_mb = 8, .max_size_mb = 8, .increment_mb = 1, .shrinkable = true},
                     {.path = "/memory/log.ldx", .initial_size_mb = 8, .max_size_mb = 8, .is_log = true}};
    storage.set_observer(&requests);
}

ums::Task<void> WorkerWorld::open() {
    FileCreator creator(options, storage, journal, kWorldRunId);
    parts = std::make_unique<RunParts>();
    const std::vector<NumberedFile> wanted = numbered(options.files);
    co_await creator.claim(wanted);
    parts->reserve(options, kPoolBytes, creator.files());
    co_await creator.replace_old_files();
    for (std::size_t i = 0; i < options.files.size(); ++i) {
        SimFile::Setup setup = co_await creator.prepare(i);
        parts->add_file(std::move(setup), {storage, outstanding_, state, journal, load_of(options)});
    }
    parts->assemble(options, kWorldRunId, storage, *schedulers, state, journal, {.promises = has_promises});
    (*schedulers)[0].spawn(parts->log_writer, "Log Writer", parts->log->run_writer());
}

ums::Task<void> WorkerWorld::close() {
    parts->log->stop();
    co_await parts->log_writer.join();
    parts.reset();
}

ums::Task<std::uint64_t> WorkerWorld::change_page(std::uint32_t page, std::uint64_t record_bytes) {
    LogReservation reservation = co_await parts->log->space().reserve(record_bytes);
    ums::Prng prng(page);
    FixedPage fixed = co_await parts->buffers->fix(data(), page, FixIntent::overwrite, prng);
    LogChange change{.kind = LogRecordKind::page_update, .file_id = data().file.id(), .page_id = page};
    change.version = BufferManager::change(data(), fixed.frame());
    const std::uint64_t lsn = co_await parts->log->append(reservation, change, record_bytes);
    BufferManager::logged(fixed.frame(), lsn);
    co_return lsn;
}

void WorkerWorld::hold_data_writes() {
    const std::int32_t file = data().file.transfer_handle().value;
    storage.set_rule([file](const ums::IoRequest& request) {
        return Fate{.hold = request.operation == ums::IoOperation::write && request.file.value == file};
    });
}

void WorkerWorld::release_data_writes() {
    storage.set_rule(nullptr);
    storage.release_held();
}

bool WorkerWorld::is_dirty(std::uint32_t page) {
    Frame* const frame = parts->pool->find({data().file.id(), page});
    if (frame == nullptr) return false;
    const bool is_dirty = frame->dirty.load(std::memory_order_relaxed);
    parts->pool->unpin(*frame);
    return is_dirty;
}

bool WorkerWorld::keeps_log_of(std::uint64_t lsn) {
    const std::vector<VirtualLogFile> used = parts->log->used_vlfs();
    return std::any_of(used.begin(), used.end(), [&](const VirtualLogFile& vlf) { return vlf.sequence == vlf_of_lsn(lsn); });
}

}  // namespace sim::testing
