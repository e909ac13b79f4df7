#include "sim/log/log_manager.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// Buffers in addition to those in flight: one being filled, and some that are sealed and queued.
constexpr std::uint32_t kSpareBuffers = 4;

constexpr std::uint32_t round_up(std::uint64_t value, std::uint64_t unit) {
    return static_cast<std::uint32_t>((value + unit - 1) / unit * unit);
}

VirtualLogFiles ring_of(const LogSetup& setup) {
    if (!setup.position) return {setup.files, setup.alignment_bytes};
    const LogPosition& position = *setup.position;
    return {position.places, position.used, position.last_vlf, setup.alignment_bytes};
}

}  // namespace

LogManager::LogManager(LogSetup setup, RunState& run, Journal& journal)
    : run_id_(setup.run_id),
      incarnation_(setup.position ? setup.position->incarnation : 1),
      alignment_bytes_(setup.alignment_bytes),
      run_(run),
      journal_(journal),
      flush_slots_(setup.flushes_max),
      flush_bytes_(setup.flushed_kb_max != 0 ? std::uint64_t{setup.flushed_kb_max} << 10
                                             : std::uint64_t{setup.flushes_max} * kLogBlockBytesMax),
      state_(ring_of(setup)),
      space_(state_, setup.alignment_bytes, setup.sums),
      hardening_(state_, work_, setup.promises),
      sums_(std::move(setup.sums)),
      memory_(std::size_t{setup.flushes_max + kSpareBuffers} * kLogBlockBytesMax, ums::MemoryKind::plain) {
    UMS_ASSERT(kLogBlockBytesMax % alignment_bytes_ == 0);
    for (std::uint32_t i = 0; i < setup.flushes_max + kSpareBuffers; ++i) {
        buffers_.push_back(std::make_unique<LogBuffer>());
        buffers_.back()->data = memory_.data() + std::size_t{i} * kLogBlockBytesMax;
        free_.push_back(buffers_.back().get());
    }
    if (!setup.position) return;
    next_block_ = setup.position->next_sequence;
    last_lsn_ = setup.position->last_lsn;
    hardening_.go_on(setup.position->last_sequence, setup.position->last_lsn);
}

// --- appending ---

void LogManager::open_block(std::uint32_t record_bytes) {
    UMS_ASSERT(current_ == nullptr && !free_.empty());
    const auto needed_bytes = round_up(sizeof(LogBlockHeader) + record_bytes, alignment_bytes_);
    if (state_.vlfs.current().size_bytes - state_.vlfs.current().end_bytes < needed_bytes) state_.vlfs.advance();
    VirtualLogFile& vlf = state_.vlfs.current();
    LogBuffer& buffer = *free_.back();
    free_.pop_back();
    buffer.open(vlf, state_.vlfs.current_index(), next_block_++);
    if (vlf.first_block == 0) vlf.first_block = buffer.sequence;
    current_ = &buffer;
}

// The block's place in the log is now fixed; the next block follows it.
void LogManager::seal_block() {
    LogBuffer& buffer = *std::exchange(current_, nullptr);
    buffer.size_bytes = round_up(buffer.used_bytes, alignment_bytes_);
    VirtualLogFile& vlf = state_.vlfs[buffer.vlf];
    UMS_ASSERT(vlf.end_bytes == buffer.vlf_offset_bytes && vlf.end_bytes + buffer.size_bytes <= vlf.size_bytes);
    vlf.end_bytes += buffer.size_bytes;
    sealed_.push_back(&buffer);
    hardening_.expect_locked(buffer);
}

// The block that takes the record, or null if no buffer is free.
LogBuffer* LogManager::writable_block(std::uint32_t record_bytes) {
    if (current_ != nullptr && !current_->has_room(record_bytes)) {
        seal_block();
        work_.set();
    }
    if (current_ == nullptr) {
        if (free_.empty()) {
            buffer_free_.reset();
            return nullptr;
        }
        open_block(record_bytes);
    }
    return current_;
}

template <typename Then>
ums::Task<std::uint64_t> LogManager::append_one(LogChange change, std::uint32_t record_bytes, Then then) {
    UMS_ASSERT(record_bytes <= kLogRecordBytesMax);
    for (;;) {
        {
            const std::lock_guard guard(state_.lock);
            if (state_.failed) co_return 0;  // nothing can be hardened any more; harden() reports it
            if (LogBuffer* block = writable_block(record_bytes)) {
                last_lsn_ = block->append(change, record_bytes);
                then();
                co_return last_lsn_;
            }
        }
        work_.set();
        co_await buffer_free_.wait(ums::WaitType::logbuffer);
    }
}

ums::Task<std::uint64_t> LogManager::append(LogReservation& reservation, LogChange change, std::uint64_t size_bytes) {
    UMS_ASSERT(size_bytes <= std::uint64_t{2} * kLogRecordBytesMax);
    const std::uint32_t wanted_bytes = round_up(std::max<std::uint64_t>(size_bytes, sizeof(LogRecordHeader)), 8);
    const std::uint32_t first_bytes = std::min(wanted_bytes, kLogRecordBytesMax / 8 * 8);
    const bool is_change = change.kind == LogRecordKind::page_update;
    // The LSN of a change is that of its last record.
    const auto count_change = [this, is_change, change] {
        if (is_change) sums_.changed(change.file_id, change.page_id);
    };
    const bool is_in_one = wanted_bytes <= first_bytes;
    std::uint64_t lsn = co_await append_one(change, first_bytes, [&] {
        if (is_in_one) {
            count_change();
        } else {
            ++split_changes_;
        }
    });
    std::uint64_t used_bytes = first_bytes + space_.overhead_bytes();
    if (!is_in_one) {
        const std::uint32_t rest_bytes = std::max<std::uint32_t>(wanted_bytes - first_bytes, sizeof(LogRecordHeader));
        change.kind = LogRecordKind::filler;
        lsn = co_await append_one(change, rest_bytes, [&] {
            --split_changes_;
            count_change();
        });
        used_bytes += rest_bytes + space_.overhead_bytes();
    }
    reservation.use(used_bytes);
    co_return lsn;
}

ums::Task<CheckpointBegin> LogManager::begin_checkpoint() {
    LogReservation reservation = space_.reserve_for_system();
    CheckpointBegin begin;
    begin.lsn =
        co_await append_one({.kind = LogRecordKind::checkpoint_begin}, sizeof(LogRecordHeader), [this, &begin] { begin.sums = sums_; });
    co_return begin;
}

ums::Task<std::uint64_t> LogManager::append_resize(LogReservation& reservation, std::uint32_t file_id, std::uint32_t page_count,
                                                   const PageSums::VersionOf& version_of, const PageSums::File* before_cut) {
    PageSums::File file = sums_of(file_id);
    const std::uint32_t old_count = file.page_count;
    file = sums_.resized(file, page_count, version_of, false);
    if (before_cut != nullptr) file.regions = before_cut->regions;
    const LogChange change{.kind = LogRecordKind::file_resize, .file_id = file_id, .page_id = old_count, .page_count = page_count};
    const std::uint64_t lsn = co_await append_one(change, sizeof(LogRecordHeader), [&] {
        if (page_count < old_count) {
            file.least_pages = std::min(file.least_pages, page_count);
            file.cut_lsn = last_lsn_;
        }
        sums_.replace(file_id, std::move(file));
    });
    reservation.use(sizeof(LogRecordHeader) + space_.overhead_bytes());
    co_return lsn;
}

std::uint64_t LogManager::end_lsn_locked() {
    if (current_ != nullptr) return current_->first_lsn + current_->record_count;
    const VirtualLogFile& vlf = state_.vlfs.current();
    return make_lsn(vlf.sequence, static_cast<std::uint32_t>(vlf.end_bytes / kSectorBytes), 0);
}

std::uint64_t LogManager::end_lsn() {
    const std::lock_guard guard(state_.lock);
    return end_lsn_locked();
}

// --- flushing ---

ums::Task<bool> LogManager::flush() {
    std::uint64_t lsn = 0;
    {
        const std::lock_guard guard(state_.lock);
        lsn = last_lsn_;
    }
    co_return co_await harden(lsn);
}

void LogManager::stop() {
    stopping_ = true;
    work_.set();
}

ums::Task<void> LogManager::run_writer() {
    ums::TaskGroup flushes;
    for (;;) {
        co_await work_.wait(ums::WaitType::log_writer_queue);
        work_.reset();
        const bool last_round = stopping_;
        for (;;) {
            LogBuffer* buffer = nullptr;
            {
                const std::lock_guard guard(state_.lock);
                const bool wanted =
                    current_ != nullptr && current_->record_count > 0 && (hardening_.is_wanted_locked(current_->first_lsn) || last_round);
                if (wanted) seal_block();
                if (!sealed_.empty()) {
                    buffer = sealed_.front();
                    sealed_.pop_front();
                }
            }
            if (buffer == nullptr) break;
            co_await flush_slots_.acquire(1, ums::WaitType::log_writer_queue);
            co_await flush_bytes_.acquire(buffer->size_bytes, ums::WaitType::log_writer_queue);
            ums::Scheduler::current().fork(flushes, flush_block(*buffer));
        }
        if (last_round) break;
    }
    co_await flushes.join();
}

ums::Task<bool> LogManager::write_block(LogBuffer& buffer) {
    const ums::IoSegment segment{buffer.data, buffer.size_bytes};
    IoRetry retry(*buffer.file, run_, journal_, buffer.file->needs_flushes() ? LogWrite::block_to_sync : LogWrite::block);
    const bool written = co_await retry.write(buffer.file_offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    if (!written || !buffer.file->needs_flushes()) co_return written;
    // A commit is a promise even if WriteThrough is off.
    const std::error_code error = co_await buffer.file->sync_block(retry.duration_us());
    if (error) co_await end_run_unsynced(*buffer.file, error, run_, journal_);
    co_return !error;
}

void LogManager::stop_before_last_vlf(const LogBuffer& buffer) {
    if (buffer.vlf_sequence < kVlfSequenceEnd || run_.is_stopping()) return;
    run_.stop(Outcome::not_done, fmt::format("{}: the numbers of virtual log files are used up. Begin a new run, with a larger log if it "
                                             "is to take longer.",
                                             buffer.file->path()));
}

ums::Task<void> LogManager::flush_block(LogBuffer& buffer) {
    stop_before_last_vlf(buffer);
    buffer.finish({.run_id = run_id_,
                   .incarnation = incarnation_,
                   .hardened_sequence = hardening_.block_sequence(),
                   .write_utc_us = journal_.clock().utc_us()});
    bool written = false;
    std::exception_ptr mistake;
    try {
        written = co_await write_block(buffer);
    } catch (...) {
        mistake = std::current_exception();  // tasks that wait for the log must not wait forever
    }
    flush_bytes_.release(buffer.size_bytes);
    flush_slots_.release(1);
    if (!written && !state_.failed.exchange(true) && !mistake) {
        run_.stop(Outcome::failed, fmt::format("The log {} cannot be written.", buffer.file->path()));
    }
    completed(buffer, written);
    if (mistake) std::rethrow_exception(mistake);
}

void LogManager::completed(LogBuffer& buffer, bool written) {
    ums::WaitQueue released;
    {
        const std::lock_guard guard(state_.lock);
        buffer.is_written = true;
        if (written) {
            VirtualLogFile& vlf = state_.vlfs[buffer.vlf];
            ++vlf.block_count;
            vlf.digest += block_digest(buffer.sequence, buffer.checksum);
        }
        hardening_.advance_locked(free_, released);
        if (state_.failed) space_.release_locked(released);
    }
    if (written) journal_.moment(Moment::log_flush);
    make_all_runnable(released);
    buffer_free_.set();
}

// --- the ring ---

void LogManager::truncate_locked(std::uint32_t vlf_sequence) {
    truncated_to_ = std::max(truncated_to_, vlf_sequence);
    if (hold_ && *hold_ < vlf_sequence) {
        state_.vlfs.truncate(*hold_);
        if (is_hold_pinned_ || state_.vlfs.free_bytes() >= state_.vlfs.total_bytes() / 4) return;
        hold_.reset();
    }
    state_.vlfs.truncate(vlf_sequence);
}

LogMark LogManager::mark_locked() {
    if (current_ != nullptr) {
        seal_block();
        work_.set();
    }
    const VirtualLogFile& vlf = state_.vlfs.current();
    return {vlf.sequence, vlf.end_bytes, next_block_, last_lsn_, split_changes_ != 0, sums_};
}

LogMark LogManager::mark() {
    const std::lock_guard guard(state_.lock);
    return mark_locked();
}

LogMark LogManager::mark_and_hold() {
    const std::lock_guard guard(state_.lock);
    hold_ = state_.vlfs.current().sequence;
    return mark_locked();
}

bool LogManager::pin_hold() {
    const std::lock_guard guard(state_.lock);
    if (!hold_) return false;
    is_hold_pinned_ = true;
    hold_unpinned_.reset();
    return true;
}

void LogManager::unpin_hold(std::uint32_t vlf_sequence) {
    ums::WaitQueue released;
    {
        const std::lock_guard guard(state_.lock);
        hold_ = vlf_sequence;
        is_hold_pinned_ = false;
        // Restores the reserve for the next checkpoint's records from the space that is now free.
        truncate_locked(truncated_to_);
        space_.release_locked(released);
    }
    make_all_runnable(released);
    hold_unpinned_.set();
}

void LogManager::release_hold() {
    ums::WaitQueue released;
    {
        const std::lock_guard guard(state_.lock);
        UMS_ASSERT(!is_hold_pinned_);
        hold_.reset();
        truncate_locked(truncated_to_);
        space_.release_locked(released);
    }
    make_all_runnable(released);
}

ums::Task<void> LogManager::wait_for_pinned_hold() {
    for (;;) {
        {
            const std::lock_guard guard(state_.lock);
            if (!is_hold_pinned_ || state_.vlfs.free_bytes() >= state_.vlfs.total_bytes() / 2) co_return;
        }
        co_await hold_unpinned_.wait(ums::WaitType::checkpoint_queue);
    }
}

double LogManager::share_since(const LogMark& mark) {
    const std::lock_guard guard(state_.lock);
    std::uint64_t kept_bytes = 0;
    for (std::uint32_t i = 0; i < state_.vlfs.count(); ++i) {
        if (state_.vlfs[i].sequence >= mark.vlf_sequence) kept_bytes += state_.vlfs[i].end_bytes;
    }
    if (state_.vlfs.current().sequence == mark.vlf_sequence) kept_bytes -= mark.at_bytes;
    return static_cast<double>(kept_bytes) / static_cast<double>(state_.vlfs.total_bytes());
}

void LogManager::truncate(std::uint64_t lsn) {
    ums::WaitQueue released;
    bool is_still_full = false;
    {
        const std::lock_guard guard(state_.lock);
        UMS_ASSERT(lsn <= end_lsn_locked());
        truncate_locked(vlf_of_lsn(lsn));
        space_.release_locked(released);
        is_still_full = space_.is_waited_for_locked();
    }
    make_all_runnable(released);
    if (is_still_full) space_.checkpoint_wanted().set();
}

std::vector<VirtualLogFile> LogManager::used_vlfs() {
    const std::lock_guard guard(state_.lock);
    std::vector<VirtualLogFile> used;
    for (std::uint32_t i = 0; i < state_.vlfs.count(); ++i) {
        if (state_.vlfs[i].sequence != 0 && state_.vlfs[i].first_block != 0) used.push_back(state_.vlfs[i]);
    }
    return used;
}

}  // namespace sim
