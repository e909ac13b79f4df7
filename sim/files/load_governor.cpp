#include "sim/files/load_governor.hpp"

#include <algorithm>
#include <mutex>

#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {
// One new block for this share of the existing blocks.
constexpr std::uint32_t kShareForNewBlock = 4;
}  // namespace

LoadGovernor::LoadGovernor(std::uint64_t target_us, std::uint32_t blocks_max)
    : target_us_(static_cast<double>(target_us)), blocks_max_(blocks_max), average_us_(target_us_) {
    UMS_ASSERT(blocks_max > 0);
}

LoadGovernor::~LoadGovernor() { UMS_ASSERT(busy_ == 0 && waiting_.empty()); }

bool LoadGovernor::may_make_block() const {
    const std::uint32_t blocks = blocks_.load(std::memory_order_relaxed);
    if (blocks >= blocks_max_) return false;
    if (bursts_allowed_ || blocks == 0) return true;
    if (average_us_.load(std::memory_order_relaxed) > target_us_) return false;
    return !has_been_above_ || completed_below_ >= blocks / kShareForNewBlock;
}

// A free block, or a new one if the rule allows it.
bool LoadGovernor::take_block() {
    const std::uint32_t blocks = blocks_.load(std::memory_order_relaxed);
    if (busy_ == blocks) {
        if (!may_make_block()) return false;
        blocks_.store(blocks + 1, std::memory_order_relaxed);
        completed_below_ = 0;
    }
    ++busy_;
    return true;
}

bool LoadGovernor::try_acquire() {
    const std::lock_guard guard(lock_);
    return waiting_.empty() && take_block();
}

bool LoadGovernor::Awaiter::await_suspend(std::coroutine_handle<> suspended) {
    const std::lock_guard guard(governor.lock_);
    if (governor.waiting_.empty() && governor.take_block()) return false;
    suspend(suspended, ums::WaitType::request_block);
    governor.waiting_.push_back(*this);
    return true;
}

// At most one new block for a completion: if all waiting requests started at once, there would be far too many.
void LoadGovernor::admit_waiting(ums::Fifo<Awaiter>& admitted) {
    const std::uint32_t blocks_before = blocks_.load(std::memory_order_relaxed);
    while (!waiting_.empty() && take_block()) {
        admitted.push_back(*waiting_.pop_front());
        if (!bursts_allowed_ && blocks_.load(std::memory_order_relaxed) > blocks_before) break;
    }
}

// Called outside the lock; does not touch the governor, which may no longer exist.
void LoadGovernor::wake(ums::Fifo<Awaiter>& admitted) {
    while (Awaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
}

// Any change may allow waiting requests to start.
template <typename Change>
void LoadGovernor::change_and_admit(Change change) {
    ums::Fifo<Awaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        change();
        admit_waiting(admitted);
    }
    wake(admitted);
}

void LoadGovernor::complete(double duration_us) {
    change_and_admit([&] {
        UMS_ASSERT(busy_ > 0);
        const std::uint32_t blocks = blocks_.load(std::memory_order_relaxed);
        const double average = (average_us_.load(std::memory_order_relaxed) * (blocks - 1) + duration_us) / blocks;
        average_us_.store(average, std::memory_order_relaxed);
        if (is_observed_) count_blocks(blocks);
        --busy_;
        const bool is_above = average > target_us_ && !bursts_allowed_;
        has_been_above_ |= is_above;
        completed_below_ = is_above ? 0 : completed_below_ + 1;
        if (!is_above) return;
        throttle_count_.store(throttle_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (blocks > 1) blocks_.store(blocks - 1, std::memory_order_relaxed);
    });
}

void LoadGovernor::count_blocks(std::uint32_t blocks) {
    observed_blocks_min_ = observed_ == 0 ? blocks : std::min(observed_blocks_min_, blocks);
    observed_blocks_max_ = std::max(observed_blocks_max_, blocks);
    observed_blocks_sum_ += blocks;
    ++observed_;
}

void LoadGovernor::observe_blocks(bool observed) {
    const std::lock_guard guard(lock_);
    is_observed_ = observed;
}

RequestBlockStatistics LoadGovernor::block_statistics() const {
    const std::lock_guard guard(lock_);
    if (observed_ == 0) return {};
    return {static_cast<double>(observed_blocks_sum_) / static_cast<double>(observed_), observed_blocks_min_, observed_blocks_max_};
}

void LoadGovernor::give_back() {
    change_and_admit([this] {
        UMS_ASSERT(busy_ > 0);
        --busy_;
    });
}

std::uint32_t LoadGovernor::busy() const {
    const std::lock_guard guard(lock_);
    return busy_;
}

void LoadGovernor::allow_bursts(bool allowed) {
    change_and_admit([&] { bursts_allowed_ = allowed; });
}

}  // namespace sim
