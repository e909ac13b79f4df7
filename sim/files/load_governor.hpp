// How many requests a file may have outstanding: SQLIOSim's rule for keeping the average I/O duration at its target.
//
//   On every completion     average = (average * (blocks - 1) + duration) / blocks,  starting at the target
//   average above target    "Number of times IO throttled" rises by one, and the request block of this I/O is thrown away
//   otherwise               the block can be used again; a task that finds none free makes a new one, up to MaxOutstandingIO
//
// With `blocks` in the divisor, one slow request among many does not swing the average. The last block is never thrown away: without
// one, nothing could ever complete. A completion that would have cost it still counts: a path that cannot carry one request within the
// target is throttled all the time, not never. (KB 231619; PSS, "SQLIOSim outstanding I/O warnings".)
//
// The average reflects new blocks only after their requests have come back, and a little later still. So once it has been above the target,
// blocks are made one at a time, each after a quarter of the existing ones have completed in time. When every completion made one, requests
// of a device that serves one at a time took twice the target on average, varying from a tenth of it to four times the target.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>

#include "ums/base/spinlock.hpp"
#include "ums/sched/waiter.hpp"

namespace sim {

// How many request blocks there were, sampled at the completions of a main run: the number rises and falls like a sawtooth, and its value
// at the end says little.
struct RequestBlockStatistics {
    double mean = 0;
    std::uint32_t min = 0;
    std::uint32_t max = 0;

    friend bool operator==(const RequestBlockStatistics&, const RequestBlockStatistics&) = default;
};

// Any thread. One per file.
class LoadGovernor {
public:
    LoadGovernor(std::uint64_t target_us, std::uint32_t blocks_max);
    LoadGovernor(const LoadGovernor&) = delete;
    LoadGovernor& operator=(const LoadGovernor&) = delete;
    ~LoadGovernor();

    struct Awaiter : ums::Waiter {
        LoadGovernor& governor;
        explicit Awaiter(LoadGovernor& wanted) : governor(wanted) {}
        [[nodiscard]] bool await_ready() const { return governor.try_acquire(); }
        bool await_suspend(std::coroutine_handle<> suspended);
        void await_resume() const noexcept {}
    };

    // Waits for a request block. First come, first served.
    [[nodiscard]] Awaiter acquire() { return Awaiter(*this); }

    // The I/O of one block has finished.
    void complete(double duration_us);

    // The block was not used: nothing to learn from it.
    void give_back();

    // While allowed, nothing is throttled, and blocks are made regardless of the average (AllowIOBursts in its phases).
    void allow_bursts(bool allowed);

    // Starts or stops counting completions for block_statistics(); what has been counted stays.
    void observe_blocks(bool observed);

    [[nodiscard]] std::uint64_t average_us() const { return static_cast<std::uint64_t>(average_us_.load(std::memory_order_relaxed)); }
    [[nodiscard]] std::uint32_t blocks() const { return blocks_.load(std::memory_order_relaxed); }
    // Blocks in use: requests that are outstanding, or wait for the process's limit.
    [[nodiscard]] std::uint32_t busy() const;
    [[nodiscard]] std::uint64_t throttle_count() const { return throttle_count_.load(std::memory_order_relaxed); }
    // All 0 if nothing completed while blocks were observed.
    [[nodiscard]] RequestBlockStatistics block_statistics() const;

private:
    [[nodiscard]] bool try_acquire();
    [[nodiscard]] bool may_make_block() const;
    [[nodiscard]] bool take_block();
    void count_blocks(std::uint32_t blocks);
    void admit_waiting(ums::Fifo<Awaiter>& admitted);
    template <typename Change>
    void change_and_admit(Change change);
    static void wake(ums::Fifo<Awaiter>& admitted);

    const double target_us_;
    const std::uint32_t blocks_max_;

    // Guarded by lock_; the atomics are read without it for reports.
    mutable ums::Spinlock lock_;
    std::atomic<double> average_us_;
    std::atomic<std::uint32_t> blocks_{0};
    std::atomic<std::uint64_t> throttle_count_{0};
    std::uint32_t busy_ = 0;
    bool has_been_above_ = false;        // the average, while it counted
    std::uint32_t completed_below_ = 0;  // since a block was made or thrown away
    bool bursts_allowed_ = false;
    bool is_observed_ = false;
    std::uint64_t observed_ = 0;  // completions
    std::uint64_t observed_blocks_sum_ = 0;
    std::uint32_t observed_blocks_min_ = 0;
    std::uint32_t observed_blocks_max_ = 0;
    ums::Fifo<Awaiter> waiting_;
};

}  // namespace sim
