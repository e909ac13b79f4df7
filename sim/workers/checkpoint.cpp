#include "sim/workers/checkpoint.hpp"

#include <algorithm>
#include <exception>
#include <system_error>

#include "sim/files/io_retry.hpp"
#include "sim/limits.hpp"
#include "sim/workers/checkpoint_pace.hpp"
#include "sim/workers/key_sort.hpp"

namespace sim {

namespace {

// Gather writes outstanding at a time, on each scheduler; the load governor decides how many of them the files take.
constexpr std::uint32_t kWritersPerScheduler = 16;
constexpr std::uint32_t kFramesPerStep = 4096;
// SQL Server's indirect checkpoint looks as often; so do slow writers.
constexpr std::uint64_t kPollNs = 100 * ums::kNsPerMs;

}  // namespace

Checkpoint::Checkpoint(RunContext& context)
    : context_(context), slow_writes_(context.options.recent.checkpoint_slow_write_ms, context.schedulers.size() * kWritersPerScheduler) {}

ums::Task<bool> Checkpoint::run(Haste haste) {
    const std::uint32_t in_haste = haste == Haste::at_once ? 1 : 0;
    waiting_ += in_haste;
    co_await one_at_a_time_.acquire(ums::LatchMode::exclusive, ums::WaitType::checkpoint_queue);
    waiting_ -= in_haste;
    context_.log.space().checkpoint_wanted().reset();
    bool is_whole = false;
    std::exception_ptr mistake;
    try {
        if (!context_.run.is_stopping()) is_whole = co_await write_dirty_pages(haste);
    } catch (...) {
        mistake = std::current_exception();
    }
    // A task may be waiting for log space that will never be freed now.
    if (context_.run.is_stopping()) context_.log.space().refuse();
    one_at_a_time_.release(ums::LatchMode::exclusive);
    if (mistake) std::rethrow_exception(mistake);
    co_return is_whole;
}

ums::Task<bool> Checkpoint::write_dirty_pages(Haste haste) {
    co_await context_.log.wait_for_pinned_hold();
    // It would be broken off, and what it logs would take room that the final checkpoint needs.
    if (context_.run.users_are_ending()) co_return false;
    // Every page that was changed before this point is now dirty, or is being written under a latch that collect() or the writers will
    // meet.
    const CheckpointBegin begin = co_await context_.log.begin_checkpoint();
    co_await log_sums(context_.log, begin.sums);
    co_await collect();
    context_.journal.moment(Moment::checkpoint);
    co_await write_all(haste);
    if (is_broken_off()) co_return false;  // what was not written is not promised
    // Before the sync, which does not cover what is written after it has begun.
    const Exceptions exceptions = find_exceptions();
    co_await sync_files();
    if (context_.run.is_stopping()) co_return false;
    const bool is_hardened = co_await log_end(begin, exceptions);
    if (is_hardened && context_.promises != nullptr) context_.promises->checkpoint_done(begin.lsn);
    if (is_hardened) context_.log.truncate(begin.lsn);
    WorkCounters::add(context_.checkpoint.cycles, 1);
    co_return true;
}

Checkpoint::Exceptions Checkpoint::find_exceptions() const {
    Exceptions exceptions;
    for (const auto& data : context_.data_files) {
        if (data->is_apart) continue;  // no checkpoint promises anything about it
        const UnwrittenPages::Listed listed = data->unwritten.list(data->ledger, data->file.pages());
        exceptions.are_too_many |= listed.are_too_many;
        for (const std::uint32_t page : listed.pages) exceptions.pages.push_back({data->file.id(), page, data->ledger[page].version});
    }
    exceptions.are_too_many |= exceptions.pages.size() > kUnwrittenPagesMax;
    if (exceptions.are_too_many) exceptions.pages.clear();
    return exceptions;
}

ums::Task<bool> Checkpoint::log_end(const CheckpointBegin& begin, const Exceptions& exceptions) {
    const std::uint64_t lsn = co_await log_checkpoint_end(context_.log, begin, exceptions.pages, exceptions.are_too_many);
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
    // tempdb need not survive the server: its pages are written only when their memory is needed.
    if (context_.tempdb != nullptr) {
        std::erase_if(dirty_,
                      [this](std::uint64_t page) { return context_.data_file(PageKey::unpack(page).file_id)->file.options().is_tempdb; });
    }
    co_await sort_keys(dirty_);
    total_.store(dirty_.size(), std::memory_order_relaxed);
}

ums::Task<void> Checkpoint::write_all(Haste haste) {
    if (haste == Haste::as_needed) {
        co_await write_little_by_little();
    } else {
        co_await write_up_to(dirty_.size(), haste);
    }
}

ums::Task<void> Checkpoint::write_up_to(std::size_t end, Haste haste) {
    const std::uint32_t cpus = context_.schedulers.size();
    const std::uint64_t pages = end - std::min(end, next_.load(std::memory_order_relaxed));
    const auto count =
        static_cast<std::uint32_t>(haste == Haste::as_needed ? std::min<std::uint64_t>(pages, std::uint64_t{cpus} * kWritersPerScheduler)
                                                             : std::size_t{cpus} * kWritersPerScheduler);
    ums::TaskGroup writers;
    for (std::uint32_t i = 0; i < count; ++i) context_.schedulers[i % cpus].spawn(writers, "Checkpoint", write_some(i, end, haste));
    co_await writers.join();
}

// The steady trickle of an indirect checkpoint. If a request also wrote neighbors, the loop continues with the list without a pause.
ums::Task<void> Checkpoint::write_little_by_little() {
    LogSpace& log = context_.log.space();
    CheckpointPace pace(dirty_target());
    pace.begin(dirty_.size(), log.use());
    for (;;) {
        // The main run may have ended since the last look; the final checkpoint, which writes everything, waits for this one.
        if (!periodic_) was_abandoned_ = true;
        const std::size_t done = next_.load(std::memory_order_relaxed);
        if (done >= dirty_.size() || is_broken_off()) break;
        if (is_waited_for()) {
            co_await write_up_to(dirty_.size(), Haste::at_once);
            break;
        }
        const std::uint64_t due = pace.due_pages(done, dirty_pages(), log.use());
        if (due > 0) {
            co_await write_up_to(done + due, Haste::as_needed);
        } else {
            const std::uint64_t deadline_ns = context_.now_ns() + kPollNs;
            co_await log.checkpoint_wanted().wait(ums::WaitType::dirty_page_poll, deadline_ns);
        }
    }
}

std::uint64_t Checkpoint::dirty_pages() const {
    std::uint64_t sum = 0;
    for (const auto& data : context_.data_files) sum += data->is_apart ? 0 : dirty_pages_of(data->file.counters());
    return sum;
}

std::uint64_t Checkpoint::dirty_target() const {
    std::uint64_t pages_per_s = 0;
    for (const auto& data : context_.data_files) {
        if (!data->is_apart) pages_per_s += redo_pages_per_s(data->file.governor().blocks(), data->file.governor().average_us());
    }
    return pages_per_s * context_.options.recent.target_recovery_time_s;
}

void Checkpoint::look_at_writes() {
    std::uint64_t writes = 0;
    std::uint64_t write_time_ns = 0;
    for (const auto& data : context_.data_files) {
        if (data->file.options().is_tempdb) continue;  // no checkpoint writes there
        for (const FileCounters& cpu : data->file.counters()) {
            writes += cpu.writes.value() + cpu.gather_writes.value();
            for (const IoClass io_class : {IoClass::write, IoClass::gather_write}) {
                write_time_ns += cpu.latency[static_cast<std::size_t>(io_class)].total_ns();
            }
        }
    }
    next_look_ns_ = context_.now_ns() + kPollNs;
    slow_writes_.look(writes, write_time_ns / 1000);
}

// While writes are too slow, only some of the writers continue until the last page is taken; if a task waits for the checkpoint, all do.
ums::Task<void> Checkpoint::wait_for_turn(std::uint32_t number, std::size_t end) {
    if (number == 0 && context_.now_ns() >= next_look_ns_) look_at_writes();
    while (number >= slow_writes_.allowed() && next_.load(std::memory_order_relaxed) < end && !is_broken_off()) {
        if (is_waited_for()) co_return;
        co_await ums::sleep_until(context_.now_ns() + kPollNs, ums::WaitType::dirty_page_poll);
    }
}

// By a task that needs room in the log, or by a backup, whose own checkpoint comes after this one.
bool Checkpoint::is_waited_for() const { return waiting_ > 0 || context_.log.space().checkpoint_wanted().is_set(); }

// Users that are ending must not wait for queued pages: the final checkpoint writes them.
bool Checkpoint::is_broken_off() {
    if (context_.run.users_are_ending()) was_abandoned_ = true;
    return was_abandoned_ || context_.run.is_stopping();
}

std::optional<std::size_t> Checkpoint::take_next(std::size_t end) {
    std::size_t index = next_.load(std::memory_order_relaxed);
    while (index < end && !next_.compare_exchange_weak(index, index + 1, std::memory_order_relaxed)) {
    }
    return index < end ? std::optional(index) : std::nullopt;
}

// Takes the next page that no gather write has covered yet. Pages in use are left for the end, and waited for then.
ums::Task<void> Checkpoint::write_some(std::uint32_t number, std::size_t end, Haste haste) {
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
    const bool may_slow_down = haste != Haste::at_once && slow_writes_.is_on();
    for (;;) {
        if (may_slow_down) co_await wait_for_turn(number, end);
        const std::optional<std::size_t> index = is_broken_off() ? std::nullopt : take_next(end);
        if (!index) break;
        const PageWriter::Written written = co_await write(*this, writer, dirty_[*index], false);
        if (written.was_busy) busy.push_back(dirty_[*index]);
        co_await ums::Scheduler::current().yield_if_due();
    }
    for (const std::uint64_t key : busy) {
        if (!is_broken_off()) co_await write(*this, writer, key, true);
    }
}

// If writes are not durable by themselves, the log may be truncated only after the files are synced.
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
    if (context_.options.recent.target_recovery_time_s == 0) {
        co_await serve_by_the_clock();
    } else {
        co_await serve_by_the_target();
    }
}

ums::Task<void> Checkpoint::serve_by_the_clock() {
    const std::uint64_t interval_ns = std::uint64_t{context_.options.checkpoint_interval_ms} * ums::kNsPerMs;
    ums::Event& wanted = context_.log.space().checkpoint_wanted();
    while (!stopping_) {
        const bool is_wanted = co_await wanted.wait(ums::WaitType::checkpoint_queue, context_.now_ns() + interval_ns);
        if (!stopping_ && (is_wanted || periodic_)) co_await run(is_wanted ? Haste::at_once : Haste::automatic);
    }
}

ums::Task<void> Checkpoint::serve_by_the_target() {
    LogSpace& log = context_.log.space();
    while (!stopping_) {
        const bool is_wanted = co_await log.checkpoint_wanted().wait(ums::WaitType::dirty_page_poll, context_.now_ns() + kPollNs);
        if (stopping_) break;
        const LogSpace::Use use = log.use();
        const bool is_due = periodic_ && CheckpointPace(dirty_target()).should_begin(dirty_pages(), use);
        const bool is_urgent = is_wanted && (!periodic_ || use.is_waited_for || use.used_bytes >= use.short_bytes);
        if (is_urgent) {
            co_await run(Haste::at_once);
        } else if (is_wanted || is_due) {
            co_await run(Haste::as_needed);
        }
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
