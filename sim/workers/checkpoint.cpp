#include "sim/workers/checkpoint.hpp"

#include <algorithm>
#include <exception>
#include <system_error>

#include "sim/files/io_retry.hpp"

namespace sim {

namespace {

// Gather writes outstanding at a time, on each scheduler; the load governor decides how many of them the files take.
constexpr std::uint32_t kWritersPerScheduler = 16;
constexpr std::uint32_t kFramesPerStep = 4096;

}  // namespace

ums::Task<void> Checkpoint::run_once() {
    co_await one_at_a_time_.acquire(ums::LatchMode::exclusive, ums::WaitType::checkpoint_queue);
    context_.log.space().checkpoint_wanted().reset();
    std::exception_ptr mistake;
    try {
        if (!context_.run.is_stopping()) co_await write_dirty_pages();
    } catch (...) {
        mistake = std::current_exception();
    }
    // Somebody may wait for log space that will not be freed any more.
    if (context_.run.is_stopping()) context_.log.space().refuse();
    one_at_a_time_.release(ums::LatchMode::exclusive);
    if (mistake) std::rethrow_exception(mistake);
}

ums::Task<void> Checkpoint::write_dirty_pages() {
    co_await context_.log.wait_for_pinned_hold();
    // Whatever was changed before this point is dirty now, or being written under a latch that collect() or the writers meet.
    const CheckpointBegin begin = co_await context_.log.begin_checkpoint();
    co_await log_sums(context_.log, begin.sums);
    co_await collect();
    context_.journal.moment(Moment::checkpoint);
    co_await write_all();
    if (is_broken_off()) co_return;  // what was not written is not promised
    co_await sync_files();
    if (context_.run.is_stopping()) co_return;
    const bool is_hardened = co_await log_end(begin);
    if (is_hardened && context_.promises != nullptr) context_.promises->checkpoint_done(begin.lsn);
    if (is_hardened) context_.log.truncate(begin.lsn);
    WorkCounters::add(context_.checkpoint.cycles, 1);
}

ums::Task<bool> Checkpoint::log_end(const CheckpointBegin& begin) {
    std::vector<UnknownPage> unknown;
    bool are_too_many = false;
    for (const auto& data : context_.data_files) {
        const UnwrittenPages::Listed listed = data->unwritten.list(data->ledger);
        are_too_many |= listed.are_too_many;
        for (const std::uint32_t page : listed.pages) unknown.push_back({data->file.id(), page});
    }
    are_too_many |= unknown.size() > kUnknownPagesMax;
    const std::uint64_t lsn =
        co_await log_checkpoint_end(context_.log, begin, are_too_many ? std::span<const UnknownPage>{} : unknown, are_too_many);
    co_return co_await context_.log.harden(lsn);
}

ums::Task<void> Checkpoint::collect() {
    dirty_.clear();
    next_ = 0;
    was_abandoned_ = false;
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

// Users who end shall not wait for pages that stand in the queue to be written: the final checkpoint writes them.
bool Checkpoint::is_broken_off() {
    if (context_.run.users_are_ending()) was_abandoned_ = true;
    return was_abandoned_ || context_.run.is_stopping();
}

// Takes the next page that no gather write has covered yet. Pages that somebody uses are written at the end, waiting for them.
ums::Task<void> Checkpoint::write_some() {
    PageWriter writer = context_.make_writer(OnStop::abandon_with_users);
    std::vector<std::uint64_t> busy;
    auto write = [](Checkpoint& self, PageWriter& page_writer, std::uint64_t key, bool wait) -> ums::Task<PageWriter::Written> {
        const PageKey page = PageKey::unpack(key);
        DataFile& data = *self.context_.data_file(page.file_id);
        const PageWriter::Written written = co_await page_writer.write_around(data, page.page_id, wait);
        WorkCounters::add(self.context_.checkpoint.pages_updated, written.pages);
        if (written.was_abandoned) self.was_abandoned_ = true;
        co_return written;
    };
    for (;;) {
        const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= dirty_.size() || is_broken_off()) break;
        const PageWriter::Written written = co_await write(*this, writer, dirty_[index], false);
        if (written.was_busy) busy.push_back(dirty_[index]);
        co_await ums::Scheduler::current().yield_if_due();
    }
    for (const std::uint64_t key : busy) {
        if (!is_broken_off()) co_await write(*this, writer, key, true);
    }
}

// Where writes are not durable by themselves the log may be cut only after the files are synced.
ums::Task<void> Checkpoint::sync_files() {
    for (const auto& data : context_.data_files) {
        if (!data->file.needs_flushes()) continue;
        if (context_.promises != nullptr) context_.promises->sync_begins(data->file.id());
        const std::error_code error = co_await data->file.sync();
        if (!error && context_.promises != nullptr) context_.promises->sync_done(data->file.id());
        if (error) co_await end_run_unsynced(data->file, error, context_.run, context_.journal);
    }
}

ums::Task<void> Checkpoint::serve() {
    const std::uint64_t interval_ns = std::uint64_t{context_.options.checkpoint_interval_ms} * ums::kNsPerMs;
    ums::Event& wanted = context_.log.space().checkpoint_wanted();
    while (!stopping_) {
        const bool is_wanted = co_await wanted.wait(ums::WaitType::checkpoint_queue, context_.now_ns() + interval_ns);
        if (!stopping_ && (is_wanted || periodic_)) co_await run_once();
    }
}

void Checkpoint::stop() {
    stopping_ = true;
    context_.log.space().checkpoint_wanted().set();
}

double Checkpoint::done_fraction() const {
    const auto total = static_cast<double>(total_.load(std::memory_order_relaxed));
    const auto next = static_cast<double>(next_.load(std::memory_order_relaxed));
    return total == 0 ? 0.0 : std::min(1.0, next / total);
}

}  // namespace sim
