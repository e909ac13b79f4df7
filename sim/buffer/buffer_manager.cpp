#include "sim/buffer/buffer_manager.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/buffer/page_writer.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

void FixedPage::release() {
    if (frame_ == nullptr) return;
    Frame& frame = *std::exchange(frame_, nullptr);
    frame.latch.release(mode_);
    pool_->unpin(frame);
    data_->file.resize_latch().release_shared();
}

std::uint32_t BufferManager::change(DataFile& data, Frame& frame) {
    UMS_ASSERT(frame.version < kVersionMax);
    if (!frame.dirty.load(std::memory_order_relaxed)) data.file.local_counters().pages_dirtied.add(1);
    frame.dirty.store(true, std::memory_order_release);
    return ++frame.version;
}

void BufferManager::logged(Frame& frame, std::uint64_t lsn) { frame.lsn = lsn; }

std::uint64_t BufferManager::free_target() const { return std::clamp<std::uint64_t>(pool_.slots().count() / 32, 64, 4096); }

void BufferManager::request_memory(std::uint64_t count) {
    if (pool_.slots().free_count() < count + free_target() / 2 && !memory_requested().is_set()) memory_requested().set();
}

// A task that needs memory looks for clean pages itself before it waits for the lazy writer, as SQL Server's workers do.
void BufferManager::sweep_for(std::uint64_t count) {
    constexpr int kFramesMax = 512;
    PageKey ignored;
    std::uint64_t free_count = pool_.slots().free_count();
    for (int i = 0; i < kFramesMax && free_count < count; ++i) {
        if (pool_.sweep(ignored) == BufferPool::Sweep::evicted) ++free_count;
    }
}

bool BufferManager::try_acquire_slots(std::uint32_t count, std::vector<Slot>& slots) {
    request_memory(count);
    sweep_for(count);
    return pool_.slots().try_acquire(count, slots);
}

ums::Task<void> BufferManager::acquire_slots(std::uint32_t count, std::vector<Slot>& slots) {
    if (!try_acquire_slots(count, slots)) co_await pool_.slots().acquire(count, slots);
}

// The pinned frame, or null if no memory is immediately available.
Frame* BufferManager::find_or_insert(PageKey key, std::vector<Slot>& spare, bool& inserted) {
    if (spare.empty()) {
        if (Frame* present = pool_.find(key)) return present;
        request_memory(1);
        if (!pool_.slots().try_acquire(1, spare)) return nullptr;
    }
    return &pool_.find_or_insert(key, inserted);
}

// Memory first, latches second: no task waits for memory while it prevents others from freeing it.
ums::Task<FixedPage> BufferManager::fix(DataFile& data, std::uint32_t page, FixIntent intent, ums::Prng& prng, PageWriter* writer) {
    const bool hit = intent == FixIntent::overwrite || prng.chance(cache_hit_ratio_);
    ums::PerCpuLatch& resize_latch = data.file.resize_latch();
    std::vector<Slot> spare;
    // A read needs memory whether or not the page is in the pool.
    if (!hit) co_await acquire_slots(1, spare);
    bool may_write = !hit && writer != nullptr;
    FixedPage fixed;
    for (;;) {
        co_await resize_latch.acquire_shared(ums::WaitType::file_resize);
        if (page >= data.file.pages()) break;
        data.ledger.prefetch(page);
        bool inserted = false;
        Frame* const frame = find_or_insert({data.file.id(), page}, spare, inserted);
        if (inserted) {
            const Slot slot = spare.back();
            spare.pop_back();
            fixed = co_await use_new(data, *frame, intent, slot);
            break;
        }
        if (frame != nullptr && may_write && frame->dirty.load(std::memory_order_relaxed)) {
            may_write = false;  // once: others may change the page again before it is ours
            pool_.unpin(*frame);
            resize_latch.release_shared();
            co_await writer->write_around(data, page, true);
            continue;
        }
        if (frame != nullptr) {
            bool is_gone = false;
            fixed = co_await use_present(data, *frame, intent, hit, spare, is_gone);
            if (!is_gone) break;
        }
        resize_latch.release_shared();
        if (frame == nullptr) co_await acquire_slots(1, spare);
    }
    if (!fixed) resize_latch.release_shared();
    pool_.slots().release(spare);
    if (fixed && intent != FixIntent::look) stop_before_last_version(data, fixed.frame());
    co_return fixed;
}

void BufferManager::stop_before_last_version(const DataFile& data, const Frame& frame) {
    if (frame.version < kVersionEnd || run_.is_stopping()) return;
    run_.stop(Outcome::not_done,
              fmt::format("{}: page {} has been changed {} times, and its versions are used up. Begin a new run, with larger "
                          "files if it is to take longer.",
                          data.file.path(), frame.key.page_id, frame.version));
}

// The frame is new, pinned and held EX.
ums::Task<FixedPage> BufferManager::use_new(DataFile& data, Frame& frame, FixIntent intent, Slot slot) {
    frame.version = data.ledger[frame.key.page_id].version;
    bool usable = true;
    if (intent == FixIntent::overwrite) {
        frame.slot = slot;
    } else {
        usable = co_await read_in(data, frame, slot);
    }
    if (!usable) {
        pool_.discard(frame);
        frame.latch.release(ums::LatchMode::exclusive);
        pool_.unpin(frame);
        co_return FixedPage{};
    }
    if (intent != FixIntent::look) co_return FixedPage(pool_, data, frame, ums::LatchMode::exclusive);
    frame.latch.downgrade_to_shared(ums::LatchMode::exclusive);
    co_return FixedPage(pool_, data, frame, ums::LatchMode::shared);
}

// The frame is pinned. Returns nothing if the page cannot be read again, or with `is_gone` if it was discarded before we had its latch.
ums::Task<FixedPage> BufferManager::use_present(DataFile& data, Frame& frame, FixIntent intent, bool hit, std::vector<Slot>& spare,
                                                bool& is_gone) {
    const bool reread = !hit && !frame.dirty.load(std::memory_order_relaxed);
    const bool exclusive = reread || intent != FixIntent::look;
    const bool in_io = frame.in_io.load(std::memory_order_relaxed);
    const auto type = exclusive ? (in_io ? ums::WaitType::pageiolatch_ex : ums::WaitType::pagelatch_ex)
                                : (in_io ? ums::WaitType::pageiolatch_sh : ums::WaitType::pagelatch_sh);
    const auto mode = exclusive ? ums::LatchMode::exclusive : ums::LatchMode::shared;
    co_await frame.latch.acquire(mode, type);
    is_gone = !frame.in_table();
    bool usable = !is_gone;
    if (usable && reread && !frame.dirty.load(std::memory_order_relaxed)) usable = co_await read_again(data, frame, spare);
    if (!usable) {
        frame.latch.release(mode);
        pool_.unpin(frame);
        co_return FixedPage{};
    }
    frame.referenced.store(true, std::memory_order_relaxed);
    if (exclusive && intent == FixIntent::look) {
        frame.latch.downgrade_to_shared(ums::LatchMode::exclusive);
        co_return FixedPage(pool_, data, frame, ums::LatchMode::shared);
    }
    co_return FixedPage(pool_, data, frame, mode);
}

// Reads the page into `slot`, which belongs to the frame afterwards. False if it cannot be read or the run stops. A wrong page is usable:
// it is unknown.
ums::Task<bool> BufferManager::read_in(DataFile& data, Frame& frame, Slot slot) {
    std::byte* const memory = pool_.slots().data(slot);
    const ums::IoSegment segment{memory, kPageBytes};
    stamp_not_read(memory, kPageBytes);
    frame.slot = slot;
    frame.in_io.store(true, std::memory_order_relaxed);
    IoRetry retry(data.file, run_, journal_);
    const bool complete = co_await retry.read(std::uint64_t{frame.key.page_id} * kPageBytes, {&segment, 1}, ums::WaitType::pageiolatch_ex,
                                              OnStop::abandon_with_users);
    frame.in_io.store(false, std::memory_order_relaxed);
    ReadPage read{frame.key.page_id, memory};
    if (complete && !checker_.matches(data, read)) co_await checker_.diagnose(data, {&read, 1});
    co_return complete;
}

// Reads a clean page again, into different memory than it was written from. If none is available, the page stays as it is.
ums::Task<bool> BufferManager::read_again(DataFile& data, Frame& frame, std::vector<Slot>& spare) {
    if (spare.empty() && !pool_.slots().try_acquire(1, spare)) {
        memory_requested().set();
        co_return true;
    }
    const Slot fresh = spare.back();
    spare.pop_back();
    const Slot old = std::exchange(frame.slot, kNoSlot);
    const bool complete = co_await read_in(data, frame, fresh);
    if (old != kNoSlot) pool_.slots().release(old);
    if (!complete) pool_.discard(frame);
    co_return complete;
}

ums::Task<std::uint64_t> BufferManager::discard_from(const DataFile& data, std::uint32_t first_page) {
    const std::uint32_t frames = pool_.frame_count();
    std::uint64_t dirty_count = 0;
    for (std::uint32_t begin = 0; begin < frames; begin += kPagesBetweenYields) {
        dirty_count += pool_.discard_from(data.file.id(), first_page, begin, std::min(begin + kPagesBetweenYields, frames));
        co_await ums::Scheduler::current().yield_if_due();
    }
    co_return dirty_count;
}

ums::Task<std::uint64_t> BufferManager::forget_from(DataFile& data, std::uint32_t first_page) {
    const std::uint64_t dirty_count = co_await discard_from(data, first_page);
    for (std::uint64_t page = first_page; page < data.ledger.pages_max(); page += kPagesBetweenYields) {
        data.ledger.forget_range(page, page + kPagesBetweenYields);
        co_await ums::Scheduler::current().yield_if_due();
    }
    co_return dirty_count;
}

}  // namespace sim
