#include "sim/buffer/range_reader.hpp"

#include <algorithm>

#include "sim/files/io_retry.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

ums::Task<std::uint32_t> RangeReader::read(DataFile& data, std::uint32_t first_page, std::uint32_t count, RangeReadOptions options) {
    UMS_ASSERT(count > 0 && count <= kTransferPagesMax && slots_.empty());
    wrong_.clear();
    read_count_ = 0;
    if (!buffers_.try_acquire_slots(count, slots_)) co_await buffers_.pool().slots().acquire(count, slots_);
    co_await data.file.resize_latch().acquire_shared(ums::WaitType::file_resize);
    const std::uint32_t pages = data.file.pages();
    const std::uint32_t present = first_page >= pages ? 0 : std::min(count, pages - first_page);
    items_.assign(present, Item{});
    std::reverse(slots_.begin(), slots_.end());  // taken from the back, ascending
    for (std::uint32_t i = 0; i < present; ++i) {
        if (!take_page(data, first_page + i, items_[i], options.read_present)) co_await wait_for_page(data, first_page + i, items_[i]);
    }
    co_await read_runs(data, first_page);
    if (!wrong_.empty()) co_await buffers_.checker().diagnose(data, wrong_);
    finish_pages(data, first_page, options.keep);
    data.file.resize_latch().release_shared();
    unused_.insert(unused_.end(), slots_.begin(), slots_.end());
    buffers_.pool().slots().release(unused_);
    slots_.clear();
    unused_.clear();
    co_return read_count_;
}

// Takes pages in ascending order, like every task that takes several. New ones are held EX and present ones UP, so that no task writes them
// meanwhile. False if another task holds the page.
bool RangeReader::take_page(DataFile& data, std::uint32_t page, Item& item, bool read_present) {
    BufferPool& pool = buffers_.pool();
    Frame& frame = pool.find_or_insert({data.file.id(), page}, item.inserted);
    if (!item.inserted && !read_present) {
        pool.unpin(frame);
        return true;
    }
    if (!item.inserted && !frame.latch.try_acquire(ums::LatchMode::update)) {
        pool.unpin(frame);
        return false;
    }
    if (!item.inserted && !frame.in_table()) {
        frame.latch.release(ums::LatchMode::update);
        pool.unpin(frame);
        return false;
    }
    hold(data, page, item, frame);
    return true;
}

ums::Task<void> RangeReader::wait_for_page(DataFile& data, std::uint32_t page, Item& item) {
    BufferPool& pool = buffers_.pool();
    for (;;) {
        Frame& frame = pool.find_or_insert({data.file.id(), page}, item.inserted);
        if (!item.inserted) {
            const bool in_io = frame.in_io.load(std::memory_order_relaxed);
            co_await frame.latch.acquire(ums::LatchMode::update, in_io ? ums::WaitType::pageiolatch_sh : ums::WaitType::pagelatch_up);
        }
        if (item.inserted || frame.in_table()) {
            hold(data, page, item, frame);
            co_return;
        }
        frame.latch.release(ums::LatchMode::update);
        pool.unpin(frame);
    }
}

void RangeReader::hold(DataFile& data, std::uint32_t page, Item& item, Frame& frame) {
    item.frame = &frame;
    item.slot = slots_.back();
    slots_.pop_back();
    stamp_not_read(buffers_.pool().slots().data(item.slot), kPageBytes);
    if (item.inserted) frame.in_io.store(true, std::memory_order_relaxed);
    data.ledger.prefetch(page);
}

// As many concurrent requests as a usual read-ahead has pages: all tries of a page that fails take half a second, most of which is waiting.
// A run that stops does not read the rest, unless that must be explained. True if something was reported.
ums::Task<bool> RangeReader::read_pages(DataFile& data, std::uint32_t first_page, Part part, OnStop on_stop) {
    std::size_t next = part.begin;
    bool has_reported = false;
    auto read_some = [&]() -> ums::Task<void> {
        while (next < part.end && (on_stop == OnStop::post || !run_.is_stopping())) {
            const std::size_t i = next++;
            if (items_[i].frame == nullptr) continue;
            const bool is_reported = co_await read_page(data, first_page + static_cast<std::uint32_t>(i), items_[i], on_stop);
            has_reported = has_reported || is_reported;
        }
    };
    ums::TaskGroup reads;
    const std::size_t at_a_time = std::min<std::size_t>(part.end - part.begin, kReadAheadPages);
    for (std::size_t i = 0; i < at_a_time; ++i) ums::Scheduler::current().fork(reads, read_some());
    co_await reads.join();
    co_return has_reported;
}

// One request for each run of adjacent pages to be read; without scatter/gather, one for each page.
ums::Task<void> RangeReader::read_runs(DataFile& data, std::uint32_t first_page) {
    if (!settings_.use_scatter) {
        co_await read_pages(data, first_page, {0, items_.size()}, OnStop::abandon_with_users);
        co_return;
    }
    for (std::size_t begin = 0; begin < items_.size();) {
        std::size_t end = begin;
        while (end < items_.size() && items_[end].frame != nullptr) ++end;
        if (end > begin) {
            segments_.clear();
            for (std::size_t i = begin; i < end; ++i) {
                ums::append_segment(segments_, buffers_.pool().slots().data(items_[i].slot), kPageBytes, settings_.merge_buffers);
            }
            const std::uint64_t offset_bytes = (std::uint64_t{first_page} + begin) * kPageBytes;
            const TransferResult result = co_await data.file.transfer(ums::IoOperation::read, offset_bytes, segments_,
                                                                      ums::WaitType::pageiolatch_sh, OnStop::abandon_with_users);
            const bool complete = !result.error && result.transferred_bytes == (end - begin) * kPageBytes && !result.is_abandoned;
            for (std::size_t i = begin; i < end && complete; ++i) {
                co_await check_page(data, first_page + static_cast<std::uint32_t>(i), items_[i]);
            }
            if (!complete && !result.is_abandoned) co_await read_again(data, first_page, {begin, end}, result);
        }
        begin = end + 1;
    }
}

// Only single reads can tell which page is to blame. If none is, the request itself was at fault.
ums::Task<void> RangeReader::read_again(DataFile& data, std::uint32_t first_page, Part part, TransferResult result) {
    const bool is_explained = co_await read_pages(data, first_page, part, OnStop::post);
    if (is_explained) co_return;
    const std::uint64_t offset_bytes = (std::uint64_t{first_page} + part.begin) * kPageBytes;
    report_recovered_transfer(
        data.file, {ums::IoOperation::read, offset_bytes, (part.end - part.begin) * kPageBytes, result.error, result.transferred_bytes});
}

ums::Task<bool> RangeReader::read_page(DataFile& data, std::uint32_t page, Item& item, OnStop on_stop) {
    std::byte* const memory = buffers_.pool().slots().data(item.slot);
    const ums::IoSegment segment{memory, kPageBytes};
    stamp_not_read(memory, kPageBytes);
    IoRetry retry(data.file, run_, journal_);
    const bool is_complete = co_await retry.read(std::uint64_t{page} * kPageBytes, {&segment, 1}, ums::WaitType::pageiolatch_sh, on_stop);
    if (is_complete) co_await check_page(data, page, item);
    co_return retry.has_reported();
}

ums::Task<void> RangeReader::check_page(DataFile& data, std::uint32_t page, Item& item) {
    item.complete = true;
    ++read_count_;
    return buffers_.checker().check(data, {page, buffers_.pool().slots().data(item.slot)}, wrong_);
}

void RangeReader::finish_pages(DataFile& data, std::uint32_t first_page, bool keep) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
        Item& item = items_[i];
        if (item.frame == nullptr) continue;
        if (item.complete && item.inserted) item.frame->version = data.ledger[first_page + static_cast<std::uint32_t>(i)].version;
        release(item, keep);
    }
}

void RangeReader::release(Item& item, bool keep) {
    BufferPool& pool = buffers_.pool();
    Frame& frame = *item.frame;
    if (item.inserted) {
        frame.in_io.store(false, std::memory_order_relaxed);
        if (item.complete && keep) {
            frame.slot = item.slot;
        } else {
            unused_.push_back(item.slot);
            pool.discard(frame);
        }
        frame.latch.release(ums::LatchMode::exclusive);
    } else {
        // A page that was in the pool keeps its memory; what was read served only for verification.
        unused_.push_back(item.slot);
        frame.latch.release(ums::LatchMode::update);
    }
    pool.unpin(frame);
}

}  // namespace sim
