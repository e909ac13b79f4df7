#include "sim/workers/checkpoint.hpp"

#include <algorithm>

namespace sim {

namespace {

// Gather writes outstanding at a time, on each scheduler; the load governor decides how many of them the files take.
constexpr std::uint32_t kWritersPerScheduler = 16;
constexpr std::uint32_t kFramesPerStep = 4096;

}  // namespace

// The mark needs no reservation of its own: the log keeps room for the system.
ums::Task<std::uint64_t> Checkpoint::log_mark(LogRecordKind kind) {
    LogReservation reservation = context_.log.reserve_for_system();
    co_return co_await context_.log.append(reservation, {.kind = kind}, sizeof(LogRecordHeader));
}

ums::Task<void> Checkpoint::run_once() {
    co_await one_at_a_time_.acquire(ums::LatchMode::exclusive, ums::WaitType::checkpoint_queue);
    context_.log.checkpoint_wanted().reset();
    if (!context_.run.is_stopping()) co_await write_dirty_pages();
    // Somebody may wait for log space that will not be freed any more.
    if (context_.run.is_stopping()) context_.log.refuse_reservations();
    one_at_a_time_.release(ums::LatchMode::exclusive);
}

ums::Task<void> Checkpoint::write_dirty_pages() {
    // Whatever was changed before this point is dirty now, or being written under a latch that collect() or the writers meet.
    const std::uint64_t begin_lsn = context_.log.end_lsn();
    co_await log_mark(LogRecordKind::checkpoint_begin);
    co_await collect();
    co_await write_all();
    co_await sync_files();
    if (context_.run.is_stopping()) co_return;  // broken off: what was not written is not promised
    const std::uint64_t end_lsn = co_await log_mark(LogRecordKind::checkpoint_end);
    const bool hardened = co_await context_.log.harden(end_lsn);
    if (hardened) context_.log.truncate(begin_lsn);
    WorkCounters::add(context_.checkpoint.cycles, 1);
}

ums::Task<void> Checkpoint::collect() {
    dirty_.clear();
    next_ = 0;
    BufferPool& pool = context_.buffers.pool();
    for (std::uint32_t begin = 0; begin < pool.frame_count(); begin += kFramesPerStep) {
        pool.collect_dirty(begin, std::min(begin + kFramesPerStep, pool.frame_count()), dirty_);
        co_await ums::Scheduler::current().yield_if_due();
    }
    std::sort(dirty_.begin(), dirty_.end());
    total_.store(dirty_.size(), std::memory_order_relaxed);
}

ums::Task<void> Checkpoint::write_all() {
    ums::TaskGroup writers;
    for (std::uint32_t cpu = 0; cpu < context_.schedulers.size(); ++cpu) {
        for (std::uint32_t i = 0; i < kWritersPerScheduler; ++i) context_.schedulers[cpu].spawn(writers, "Checkpoint", write_some());
    }
    co_await writers.join();
}

// Takes the next page that no gather write has covered yet. Pages that somebody uses are written at the end, waiting for them.
ums::Task<void> Checkpoint::write_some() {
    PageWriter writer = context_.make_writer();
    std::vector<std::uint64_t> busy;
    auto write = [](Checkpoint& self, PageWriter& page_writer, std::uint64_t key, bool wait) -> ums::Task<PageWriter::Written> {
        const PageKey page = PageKey::unpack(key);
        DataFile& data = *self.context_.data_file(page.file_id);
        const PageWriter::Written written = co_await page_writer.write_around(data, page.page_id, wait);
        WorkCounters::add(self.context_.checkpoint.pages_updated, written.pages);
        co_return written;
    };
    for (;;) {
        const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= dirty_.size() || context_.run.is_stopping()) break;
        const PageWriter::Written written = co_await write(*this, writer, dirty_[index], false);
        if (written.was_busy) busy.push_back(dirty_[index]);
        co_await ums::Scheduler::current().yield_if_due();
    }
    for (const std::uint64_t key : busy) {
        if (!context_.run.is_stopping()) co_await write(*this, writer, key, true);
    }
}

// Where writes are not durable by themselves the log may be cut only after the files are synced.
ums::Task<void> Checkpoint::sync_files() {
    if (context_.options.write_through) co_return;
    for (const auto& data : context_.data_files) {
        if (const auto error = co_await data->file.sync()) {
            const std::string text = data->file.path() + ": cannot be synced: " + error.message() + ".";
            context_.journal.error(text);
            context_.run.stop(Outcome::not_done, text);
        }
    }
}

ums::Task<void> Checkpoint::serve() {
    const std::uint64_t interval_ns = std::uint64_t{context_.options.checkpoint_interval_ms} * ums::kNsPerMs;
    ums::Event& wanted = context_.log.checkpoint_wanted();
    while (!stopping_) {
        const bool is_wanted = co_await wanted.wait(ums::WaitType::checkpoint_queue, context_.now_ns() + interval_ns);
        if (!stopping_ && (is_wanted || periodic_)) co_await run_once();
    }
}

void Checkpoint::stop() {
    stopping_ = true;
    context_.log.checkpoint_wanted().set();
}

double Checkpoint::done_fraction() const {
    const auto total = static_cast<double>(total_.load(std::memory_order_relaxed));
    const auto next = static_cast<double>(next_.load(std::memory_order_relaxed));
    return total == 0 ? 0.0 : std::min(1.0, next / total);
}

}  // namespace sim
