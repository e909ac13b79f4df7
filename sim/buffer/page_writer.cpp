#include "sim/buffer/page_writer.hpp"

#include <algorithm>
#include <exception>

#include "sim/buffer/snapshot.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

ums::Task<PageWriter::Written> PageWriter::write_around(DataFile& data, std::uint32_t page, bool wait) {
    Written written{.end_page = page + 1};
    co_await data.file.resize_latch().acquire_shared(ums::WaitType::file_resize);
    std::exception_ptr mistake;
    Frame* const anchor = co_await latch_anchor({data.file.id(), page}, wait, written.was_busy);
    if (anchor != nullptr) {
        run_frames_.assign(1, anchor);
        gather_neighbours(data, page);
        written.end_page = run_frames_.back()->key.page_id + 1;
        try {
            co_await write_gathered(data);
        } catch (...) {
            mistake = std::current_exception();
        }
        data.file.local_counters().pages_cleaned.add(cleaned_);
        written.pages = acknowledged_;
        written.was_abandoned = was_abandoned_;
        release_all();
    }
    data.file.resize_latch().release_shared();
    if (mistake) std::rethrow_exception(mistake);
    co_return written;
}

ums::Task<void> PageWriter::write_gathered(DataFile& data) {
    acknowledged_ = 0;
    cleaned_ = 0;
    was_abandoned_ = false;
    const bool is_hard = co_await harden_log();
    if (!is_hard) {
        give_up();
        co_return;
    }
    const bool is_copied = co_await copy_to_snapshot(data);
    if (!is_copied) {
        abandon_rest();
        co_return;
    }
    const WatchedWrite write(data.writes, run_frames_.front()->key.page_id, static_cast<std::uint32_t>(run_frames_.size()));
    co_await make_images(data);
    co_await transfer(data);
}

ums::Task<Frame*> PageWriter::latch_anchor(PageKey key, bool wait, bool& was_busy) {
    Frame* const frame = pool_.find(key);
    if (frame == nullptr) co_return nullptr;
    bool latched = frame->latch.try_acquire(ums::LatchMode::update);
    if (!latched && wait) {
        co_await frame->latch.acquire(ums::LatchMode::update, ums::WaitType::pagelatch_up);
        latched = true;
    }
    was_busy = !latched;
    if (latched && frame->in_table() && frame->dirty.load(std::memory_order_relaxed)) co_return frame;
    if (latched) frame->latch.release(ums::LatchMode::update);
    pool_.unpin(*frame);
    co_return nullptr;
}

// Neighbors are only tried: a task that holds a latch must not wait for a lower one.
Frame* PageWriter::latch_neighbour(PageKey key) {
    Frame* const frame = pool_.find(key);
    if (frame == nullptr) return nullptr;
    if (frame->dirty.load(std::memory_order_relaxed) && frame->latch.try_acquire(ums::LatchMode::update)) {
        if (frame->in_table() && frame->dirty.load(std::memory_order_relaxed)) return frame;
        frame->latch.release(ums::LatchMode::update);
    }
    pool_.unpin(*frame);
    return nullptr;
}

void PageWriter::gather_neighbours(DataFile& data, std::uint32_t page) {
    const std::uint32_t file_id = data.file.id();
    const std::uint32_t pages = data.file.pages();
    while (run_frames_.size() < settings_.gather_pages_max) {
        const auto next = page + static_cast<std::uint32_t>(run_frames_.size());
        Frame* const frame = next < pages ? latch_neighbour({file_id, next}) : nullptr;
        if (frame == nullptr) break;
        run_frames_.push_back(frame);
    }
    before_.clear();
    while (run_frames_.size() + before_.size() < settings_.gather_pages_max && before_.size() < page) {
        Frame* const frame = latch_neighbour({file_id, page - 1 - static_cast<std::uint32_t>(before_.size())});
        if (frame == nullptr) break;
        before_.push_back(frame);
    }
    run_frames_.insert(run_frames_.begin(), before_.rbegin(), before_.rend());
}

// The write-ahead rule. False if the log has failed, in which case no page may be written.
ums::Task<bool> PageWriter::harden_log() {
    std::uint64_t lsn = 0;
    for (const Frame* frame : run_frames_) lsn = std::max(lsn, frame->lsn);
    if (log_ == nullptr) co_return true;
    co_return co_await log_->harden(lsn);
}

// The snapshot must hold the pages' old contents before they change on disk. False if that was abandoned.
ums::Task<bool> PageWriter::copy_to_snapshot(DataFile& data) {
    if (data.snapshot == nullptr) co_return true;
    co_return co_await data.snapshot->copy_before_change(run_frames_.front()->key.page_id, static_cast<std::uint32_t>(run_frames_.size()),
                                                         settings_.on_stop);
}

// The log has failed or the run stops, so these changes will never be written. Tasks that wait for memory must still get theirs.
void PageWriter::give_up() {
    for (Frame* frame : run_frames_) clean(*frame);
}

void PageWriter::clean(Frame& frame) {
    if (frame.dirty.exchange(false, std::memory_order_release)) ++cleaned_;
}

// A run that continues writes them later.
void PageWriter::abandon_rest() {
    was_abandoned_ = true;
    if (run_.is_stopping()) give_up();
}

ums::Task<void> PageWriter::make_images(DataFile& data) {
    const std::uint64_t write_utc_us = journal_.clock().utc_us();
    checksums_.clear();
    segments_.clear();
    for (const Frame* frame : run_frames_) {
        UMS_ASSERT(is_hardened(frame->lsn));
        co_await ums::Scheduler::current().before_computing(data.file.has_device());
        std::byte* const memory = pool_.data(*frame);
        checksums_.push_back(
            make_page({settings_.run_id, data.file.id(), frame->key.page_id, frame->version, frame->lsn, write_utc_us}, memory));
        ums::append_segment(segments_, memory, kPageBytes, settings_.merge_buffers);
    }
}

ums::Task<void> PageWriter::transfer(DataFile& data) {
    const std::uint64_t offset_bytes = std::uint64_t{run_frames_.front()->key.page_id} * kPageBytes;
    const std::size_t count = run_frames_.size();
    if (settings_.use_gather && count > 1) {
        const TransferResult result =
            co_await data.file.transfer(ums::IoOperation::write, offset_bytes, segments_, ums::WaitType::io_completion, settings_.on_stop);
        if (result.is_abandoned) {
            abandon_rest();
            co_return;
        }
        if (!result.error && result.transferred_bytes == count * kPageBytes) {
            for (std::size_t i = 0; i < count; ++i) acknowledge(data, i);
            co_return;
        }
        journal_.warning("A gather write of " + std::to_string(count) + " pages of " + data.file.path() + " failed: " +
                         (result.error ? ums::error_text(result.error) : "it was cut short") + ". The pages are written one by one.");
        data.file.local_counters().write_retries.add(1);
        const bool is_explained = co_await write_one_by_one(data, OnStop::post);
        if (!is_explained) {
            report_recovered_transfer(data.file,
                                      {ums::IoOperation::write, offset_bytes, count * kPageBytes, result.error, result.transferred_bytes});
        }
        co_return;
    }
    co_await write_one_by_one(data, settings_.on_stop);
}

// True if one of the writes reported something.
ums::Task<bool> PageWriter::write_one_by_one(DataFile& data, OnStop on_stop) {
    const std::size_t count = run_frames_.size();
    bool is_explained = false;
    if (count == 1) {
        co_await write_one(data, 0, on_stop, is_explained);
        co_return is_explained;
    }
    ums::TaskGroup writes;
    for (std::size_t i = 0; i < count; ++i) ums::Scheduler::current().fork(writes, write_one(data, i, on_stop, is_explained));
    co_await writes.join();
    co_return is_explained;
}

// A page that cannot be written is unknown from then on; it is not retried forever.
ums::Task<void> PageWriter::write_one(DataFile& data, std::size_t index, OnStop on_stop, bool& has_reported) {
    Frame& frame = *run_frames_[index];
    IoRetry retry(data.file, run_, journal_);
    const std::uint64_t offset_bytes = std::uint64_t{frame.key.page_id} * kPageBytes;
    const ums::IoSegment segment{pool_.data(frame), kPageBytes};
    if (co_await retry.write(offset_bytes, {&segment, 1}, ums::WaitType::io_completion, on_stop)) {
        acknowledge(data, index);
    } else {
        if (retry.has_reported()) {
            data.ledger.mark_unknown(frame.key.page_id, frame.version);
            data.unwritten.add(frame.key.page_id);
            if (settings_.promises != nullptr) settings_.promises->void_page(frame.key.file_id, frame.key.page_id);
        }
        was_abandoned_ |= !retry.has_reported();
        if (retry.has_reported() || run_.is_stopping()) clean(frame);
    }
    has_reported |= retry.has_reported();
}

void PageWriter::acknowledge(DataFile& data, std::size_t index) {
    Frame& frame = *run_frames_[index];
    data.ledger.acknowledge(frame.key.page_id, frame.version, frame.lsn, checksums_[index]);
    if (settings_.promises != nullptr) {
        settings_.promises->page_written({frame.key.file_id, frame.key.page_id, frame.version, checksums_[index]});
    }
    ++acknowledged_;
    ++cleaned_;  // held UP, and dirty until now
    frame.dirty.store(false, std::memory_order_release);
}

void PageWriter::release_all() {
    for (Frame* frame : run_frames_) {
        frame->latch.release(ums::LatchMode::update);
        pool_.unpin(*frame);
    }
    run_frames_.clear();
}

}  // namespace sim
