#include "sim/log/log_space.hpp"

#include <algorithm>
#include <mutex>

#include "ums/base/assert.hpp"

namespace sim {

namespace {

// A checkpoint is requested when less than this share of the log is free.
constexpr double kShortOfSpace = 0.4;
// Kept free for checkpoints' marks and last partial blocks; their sums come on top.
constexpr std::uint64_t kMarksBytes = std::uint64_t{2} * kLogBlockBytesMax;

// A checkpoint that the end of the main run breaks off frees nothing, and the final one follows.
constexpr std::uint64_t kCheckpoints = 2;

// The last block that they begin is padded.
std::uint64_t sums_bytes_for(const PageSums& sums) {
    const std::uint64_t records = sums.files().size() + sums.bytes_max() / kLogRecordBytesMax;
    const std::uint64_t cuts_bytes = sums.files().size() * (sizeof(LogRecordHeader) + sizeof(FileCuts));
    return cuts_bytes + sums.bytes_max() + records * sizeof(LogRecordHeader) + sums.bytes_max() / kLogBlockBytesMax * kSectorBytes * 8;
}

std::uint64_t system_bytes_for(const PageSums& sums) { return kMarksBytes + kCheckpoints * sums_bytes_for(sums); }

}  // namespace

std::uint64_t checkpoint_bytes_for(const PageSums& sums) { return kMarksBytes + sums_bytes_for(sums); }

// --- a reservation ---

LogReservation::~LogReservation() {
    if (remaining_bytes_ != 0) space_->give_back(remaining_bytes_);
}

void LogReservation::use(std::uint64_t size_bytes) {
    const std::uint64_t used_bytes = std::min(size_bytes, remaining_bytes_);
    remaining_bytes_ -= used_bytes;
    space_->give_back(used_bytes);
}

// --- waiting ---

struct LogSpace::Awaiter : ums::Waiter {
    LogSpace& space;
    std::uint64_t size_bytes;
    bool granted = true;
    Awaiter(LogSpace& log_space, std::uint64_t bytes) : space(log_space), size_bytes(bytes) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> suspended) {
        {
            const std::lock_guard guard(space.state_.lock);
            granted = !space.state_.failed && !space.refusing_;
            if (!granted || (space.waiting_.empty() && space.take_locked(size_bytes))) return false;
            suspend(suspended, ums::WaitType::log_full);
            space.waiting_.push_back(*this);
        }
        space.checkpoint_wanted_.set();
        space.growth_wanted_.set();
        return true;
    }
    [[nodiscard]] bool await_resume() const noexcept { return granted; }
};

LogSpace::LogSpace(LogState& state, std::uint32_t alignment_bytes, const PageSums& sums)
    : state_(state), alignment_bytes_(alignment_bytes), system_bytes_(system_bytes_for(sums)) {}

LogSpace::~LogSpace() { UMS_ASSERT(waiting_.empty() && reserved_bytes_ == 0); }

bool LogSpace::take_locked(std::uint64_t size_bytes) {
    // If a block does not fit, the end of the VLF stays unused.
    const std::uint64_t lost_bytes = std::uint64_t{kLogBlockBytesMax} * (state_.vlfs.free_count() + 1) + system_bytes_;
    if (state_.vlfs.free_bytes() < lost_bytes + reserved_bytes_ + size_bytes) return false;
    reserved_bytes_ += size_bytes;
    return true;
}

void LogSpace::release_locked(ums::WaitQueue& released) {
    while (Awaiter* first = waiting_.front()) {
        // In that case no space will ever be freed again.
        if (state_.failed || refusing_) {
            first->granted = false;
        } else if (!take_locked(first->size_bytes)) {
            return;
        }
        waiting_.remove(*first);
        released.push_back(*first);
    }
}

// --- taking and giving ---

ums::Task<LogReservation> LogSpace::reserve(std::uint64_t size_bytes, std::uint32_t record_count) {
    // Records that need more than one block, and records that each get a block of their own, cost headers and padding.
    const std::uint64_t records = record_count + size_bytes / kLogRecordBytesMax;
    const std::uint64_t wanted_bytes = size_bytes + records * overhead_bytes();
    bool is_short = false;
    {
        const std::lock_guard guard(state_.lock);
        is_short = static_cast<double>(state_.vlfs.free_bytes()) < kShortOfSpace * static_cast<double>(state_.vlfs.total_bytes());
    }
    if (is_short && !checkpoint_wanted_.is_set()) checkpoint_wanted_.set();
    const bool granted = co_await Awaiter(*this, wanted_bytes);
    co_return LogReservation(*this, granted ? wanted_bytes : 0);
}

LogReservation LogSpace::reserve_for_system(std::uint64_t size_bytes, std::uint32_t record_count) {
    const std::uint64_t wanted_bytes = size_bytes + record_count * overhead_bytes();
    const std::lock_guard guard(state_.lock);
    reserved_bytes_ += wanted_bytes;
    return LogReservation(*this, wanted_bytes);
}

void LogSpace::give_back(std::uint64_t size_bytes) {
    ums::WaitQueue released;
    {
        const std::lock_guard guard(state_.lock);
        UMS_ASSERT(reserved_bytes_ >= size_bytes);
        reserved_bytes_ -= size_bytes;
        release_locked(released);
    }
    make_all_runnable(released);
}

void LogSpace::refuse() {
    ums::WaitQueue released;
    {
        const std::lock_guard guard(state_.lock);
        refusing_ = true;
        release_locked(released);
    }
    make_all_runnable(released);
}

void LogSpace::accept() {
    const std::lock_guard guard(state_.lock);
    refusing_ = false;
}

LogSpace::Use LogSpace::use() {
    const std::lock_guard guard(state_.lock);
    const std::uint64_t total_bytes = state_.vlfs.total_bytes();
    return {total_bytes - state_.vlfs.free_bytes(), static_cast<std::uint64_t>((1 - kShortOfSpace) * static_cast<double>(total_bytes)),
            !waiting_.empty()};
}

void LogSpace::add(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    ums::WaitQueue released;
    {
        const std::lock_guard guard(state_.lock);
        state_.vlfs.add(file, begin_bytes, end_bytes);
        release_locked(released);
    }
    make_all_runnable(released);
}

}  // namespace sim
