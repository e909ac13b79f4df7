#include "sim/log/log_manager.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// Buffers beyond those in flight: one being filled, some sealed and waiting for their turn.
constexpr std::uint32_t kSpareBuffers = 4;
// A checkpoint is asked for when less than this share of the log is free.
constexpr double kShortOfSpace = 0.4;
// Kept free for the checkpoint's own records and a last partial block.
constexpr std::uint64_t kSystemBytes = std::uint64_t{2} * kLogBlockBytesMax;

constexpr std::uint32_t round_up(std::uint64_t value, std::uint64_t unit) {
    return static_cast<std::uint32_t>((value + unit - 1) / unit * unit);
}

}  // namespace

struct LogManager::SpaceAwaiter : ums::Waiter {
    LogManager& log;
    std::uint64_t size_bytes;
    bool granted = true;
    SpaceAwaiter(LogManager& manager, std::uint64_t bytes) : log(manager), size_bytes(bytes) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> suspended) {
        {
            const std::lock_guard guard(log.lock_);
            granted = !log.failed_ && !log.refusing_;
            if (!granted || (log.waiting_for_space_.empty() && log.take_space(size_bytes))) return false;
            suspend(suspended, ums::WaitType::log_full);
            log.waiting_for_space_.push_back(*this);
        }
        log.checkpoint_wanted_.set();
        log.growth_wanted_.set();
        return true;
    }
    [[nodiscard]] bool await_resume() const noexcept { return granted; }
};

struct LogManager::HardenAwaiter : ums::Waiter {
    LogManager& log;
    std::uint64_t lsn;
    HardenAwaiter(LogManager& manager, std::uint64_t wanted) : log(manager), lsn(wanted) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> suspended) {
        {
            const std::lock_guard guard(log.lock_);
            if (log.is_hardened(lsn) || log.failed_) return false;
            log.wanted_lsn_ = std::max(log.wanted_lsn_, lsn);
            suspend(suspended, ums::WaitType::writelog);
            log.waiting_for_hardening_.push_back(*this);
        }
        log.work_.set();
        return true;
    }
    void await_resume() const noexcept {}
};

LogReservation::~LogReservation() {
    if (remaining_bytes_ != 0) log_->give_back(remaining_bytes_);
}

LogManager::LogManager(const std::vector<SimFile*>& files, std::uint64_t run_id, std::uint32_t flushes_max, std::uint32_t alignment_bytes,
                       RunState& run, Journal& journal)
    : run_id_(run_id),
      alignment_bytes_(alignment_bytes),
      run_(run),
      journal_(journal),
      flush_slots_(flushes_max),
      vlfs_(files, alignment_bytes),
      memory_(std::size_t{flushes_max + kSpareBuffers} * kLogBlockBytesMax, ums::MemoryKind::plain) {
    UMS_ASSERT(kLogBlockBytesMax % alignment_bytes == 0);
    for (std::uint32_t i = 0; i < flushes_max + kSpareBuffers; ++i) {
        buffers_.push_back(std::make_unique<LogBuffer>());
        buffers_.back()->data = memory_.data() + std::size_t{i} * kLogBlockBytesMax;
        free_.push_back(buffers_.back().get());
    }
}

LogManager::~LogManager() { UMS_ASSERT(waiting_for_space_.empty() && waiting_for_hardening_.empty() && reserved_bytes_ == 0); }

// --- space ---

bool LogManager::take_space(std::uint64_t size_bytes) {
    // A block that does not fit leaves the end of its VLF unused.
    const std::uint64_t lost_bytes = std::uint64_t{kLogBlockBytesMax} * (vlfs_.free_count() + 1) + kSystemBytes;
    if (vlfs_.free_bytes() < lost_bytes + reserved_bytes_ + size_bytes) return false;
    reserved_bytes_ += size_bytes;
    return true;
}

void LogManager::admit_waiting_for_space(ums::Fifo<SpaceAwaiter>& admitted) {
    while (SpaceAwaiter* first = waiting_for_space_.front()) {
        // No space will ever be freed again then.
        if (failed_ || refusing_) {
            first->granted = false;
        } else if (!take_space(first->size_bytes)) {
            return;
        }
        waiting_for_space_.remove(*first);
        admitted.push_back(*first);
    }
}

void LogManager::give_back(std::uint64_t size_bytes) {
    ums::Fifo<SpaceAwaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        UMS_ASSERT(reserved_bytes_ >= size_bytes);
        reserved_bytes_ -= size_bytes;
        admit_waiting_for_space(admitted);
    }
    while (SpaceAwaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
}

ums::Task<LogReservation> LogManager::reserve(std::uint64_t size_bytes, std::uint32_t record_count) {
    // Records that need more than one block, and records that each get a block of their own, cost headers and padding.
    const std::uint64_t records = record_count + size_bytes / kLogRecordBytesMax;
    const std::uint64_t wanted_bytes = size_bytes + records * overhead_bytes();
    bool is_short = false;
    {
        const std::lock_guard guard(lock_);
        is_short = static_cast<double>(vlfs_.free_bytes()) < kShortOfSpace * static_cast<double>(vlfs_.total_bytes());
    }
    if (is_short && !checkpoint_wanted_.is_set()) checkpoint_wanted_.set();
    const bool granted = co_await SpaceAwaiter(*this, wanted_bytes);
    co_return LogReservation(*this, granted ? wanted_bytes : 0);
}

void LogManager::refuse_reservations() {
    ums::Fifo<SpaceAwaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        refusing_ = true;
        admit_waiting_for_space(admitted);
    }
    while (SpaceAwaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
}

LogReservation LogManager::reserve_for_system() {
    const std::uint64_t wanted_bytes = sizeof(LogRecordHeader) + overhead_bytes();
    const std::lock_guard guard(lock_);
    reserved_bytes_ += wanted_bytes;
    return LogReservation(*this, wanted_bytes);
}

void LogManager::truncate(std::uint64_t lsn) {
    ums::Fifo<SpaceAwaiter> admitted;
    bool is_still_full = false;
    {
        const std::lock_guard guard(lock_);
        UMS_ASSERT(lsn <= end_lsn_locked());
        vlfs_.truncate(vlf_of_lsn(lsn));
        admit_waiting_for_space(admitted);
        is_still_full = !waiting_for_space_.empty();
    }
    while (SpaceAwaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
    if (is_still_full) checkpoint_wanted_.set();
}

void LogManager::add_space(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    ums::Fifo<SpaceAwaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        vlfs_.add(file, begin_bytes, end_bytes);
        admit_waiting_for_space(admitted);
    }
    while (SpaceAwaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
}

// --- appending ---

void LogManager::open_block(std::uint32_t record_bytes) {
    UMS_ASSERT(current_ == nullptr && !free_.empty());
    const auto needed_bytes = round_up(sizeof(LogBlockHeader) + record_bytes, alignment_bytes_);
    if (vlfs_.current().size_bytes - vlfs_.current().end_bytes < needed_bytes) vlfs_.advance();
    VirtualLogFile& vlf = vlfs_.current();
    LogBuffer& buffer = *free_.back();
    free_.pop_back();
    buffer.open(vlf, vlfs_.current_index(), next_block_++);
    if (vlf.first_block == 0) vlf.first_block = buffer.sequence;
    current_ = &buffer;
}

// From here on the block's place in the log is settled; the next one begins behind it.
void LogManager::seal_block() {
    LogBuffer& buffer = *std::exchange(current_, nullptr);
    buffer.size_bytes = round_up(buffer.used_bytes, alignment_bytes_);
    VirtualLogFile& vlf = vlfs_[buffer.vlf];
    UMS_ASSERT(vlf.end_bytes == buffer.vlf_offset_bytes && vlf.end_bytes + buffer.size_bytes <= vlf.size_bytes);
    vlf.end_bytes += buffer.size_bytes;
    sealed_.push_back(&buffer);
    unhardened_.push_back(&buffer);
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

ums::Task<std::uint64_t> LogManager::append_one(LogChange change, std::uint32_t record_bytes) {
    UMS_ASSERT(record_bytes <= kLogRecordBytesMax);
    for (;;) {
        {
            const std::lock_guard guard(lock_);
            if (failed_) co_return 0;  // nothing can be hardened any more: harden() says so
            if (LogBuffer* block = writable_block(record_bytes)) co_return last_lsn_ = block->append(change, record_bytes);
        }
        work_.set();
        co_await buffer_free_.wait(ums::WaitType::logbuffer);
    }
}

ums::Task<std::uint64_t> LogManager::append(LogReservation& reservation, LogChange change, std::uint64_t size_bytes) {
    UMS_ASSERT(size_bytes <= std::uint64_t{2} * kLogRecordBytesMax);
    const std::uint32_t wanted_bytes = round_up(std::max<std::uint64_t>(size_bytes, sizeof(LogRecordHeader)), 8);
    const std::uint32_t first_bytes = std::min(wanted_bytes, kLogRecordBytesMax / 8 * 8);
    std::uint64_t lsn = co_await append_one(change, first_bytes);
    std::uint64_t used_bytes = first_bytes + overhead_bytes();
    if (wanted_bytes > first_bytes) {
        const std::uint32_t rest_bytes = std::max<std::uint32_t>(wanted_bytes - first_bytes, sizeof(LogRecordHeader));
        change.kind = LogRecordKind::filler;
        lsn = co_await append_one(change, rest_bytes);
        used_bytes += rest_bytes + overhead_bytes();
    }
    used_bytes = std::min(used_bytes, reservation.remaining_bytes_);
    reservation.remaining_bytes_ -= used_bytes;
    give_back(used_bytes);
    co_return lsn;
}

std::uint64_t LogManager::end_lsn_locked() {
    if (current_ != nullptr) return current_->first_lsn + current_->record_count;
    const VirtualLogFile& vlf = vlfs_.current();
    return make_lsn(vlf.sequence, static_cast<std::uint32_t>(vlf.end_bytes / kSectorBytes), 0);
}

std::uint64_t LogManager::end_lsn() {
    const std::lock_guard guard(lock_);
    return end_lsn_locked();
}

// --- flushing ---

ums::Task<bool> LogManager::harden(std::uint64_t lsn) {
    if (!is_hardened(lsn)) co_await HardenAwaiter(*this, lsn);
    co_return !failed_ && is_hardened(lsn);
}

ums::Task<bool> LogManager::flush() {
    std::uint64_t lsn = 0;
    {
        const std::lock_guard guard(lock_);
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
                const std::lock_guard guard(lock_);
                const bool wanted = current_ != nullptr && current_->record_count > 0 && (current_->first_lsn <= wanted_lsn_ || last_round);
                if (wanted) seal_block();
                if (!sealed_.empty()) {
                    buffer = sealed_.front();
                    sealed_.pop_front();
                }
            }
            if (buffer == nullptr) break;
            co_await flush_slots_.acquire(1, ums::WaitType::log_writer_queue);
            ums::Scheduler::current().fork(flushes, flush_block(*buffer));
        }
        if (last_round) break;
    }
    co_await flushes.join();
}

ums::Task<bool> LogManager::write_block(LogBuffer& buffer) {
    const ums::IoSegment segment{buffer.data, buffer.size_bytes};
    IoRetry retry(*buffer.file, run_, journal_);
    const bool written = co_await retry.write(buffer.file_offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    if (!written || buffer.file->writes_are_durable()) co_return written;
    // A commit is a promise also where WriteThrough is off.
    const std::error_code error = co_await buffer.file->sync();
    if (error) {
        std::string text = fmt::format("{}: cannot be synced: {}.", buffer.file->path(), error.message());
        journal_.error(text);
        run_.stop(Outcome::not_done, std::move(text));
    }
    co_return !error;
}

ums::Task<void> LogManager::flush_block(LogBuffer& buffer) {
    buffer.finish(run_id_);
    const bool written = co_await write_block(buffer);
    flush_slots_.release(1);
    if (!written && !failed_.exchange(true)) {
        run_.stop(Outcome::failed, fmt::format("The log {} cannot be written.", buffer.file->path()));
    }
    bytes_written_.fetch_add(written ? buffer.size_bytes : 0, std::memory_order_relaxed);
    completed(buffer, written);
}

// Hardening advances in the order of the log, whatever the order of completion.
void LogManager::completed(LogBuffer& buffer, bool written) {
    ums::Fifo<HardenAwaiter> hardened;
    ums::Fifo<SpaceAwaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        buffer.is_written = true;
        if (written) {
            VirtualLogFile& vlf = vlfs_[buffer.vlf];
            ++vlf.block_count;
            vlf.digest += block_digest(buffer.sequence, buffer.checksum);
        }
        while (!unhardened_.empty() && unhardened_.front()->is_written) {
            LogBuffer* first = unhardened_.front();
            unhardened_.pop_front();
            if (!failed_) hardened_lsn_.store(first->last_lsn, std::memory_order_release);
            free_.push_back(first);
        }
        HardenAwaiter* next = nullptr;
        for (HardenAwaiter* awaiter = waiting_for_hardening_.front(); awaiter != nullptr; awaiter = next) {
            next = waiting_for_hardening_.next(*awaiter);
            if (!is_hardened(awaiter->lsn) && !failed_) continue;
            waiting_for_hardening_.remove(*awaiter);
            hardened.push_back(*awaiter);
        }
        if (failed_) admit_waiting_for_space(admitted);
    }
    while (HardenAwaiter* awaiter = hardened.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
    while (SpaceAwaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
    buffer_free_.set();
}

std::vector<VirtualLogFile> LogManager::used_vlfs() {
    const std::lock_guard guard(lock_);
    std::vector<VirtualLogFile> used;
    for (std::uint32_t i = 0; i < vlfs_.count(); ++i) {
        if (vlfs_[i].sequence != 0 && vlfs_[i].first_block != 0) used.push_back(vlfs_[i]);
    }
    return used;
}

}  // namespace sim
