// How far the log is hardened, that is, on stable storage without a gap, and which tasks wait for it. Blocks complete in any order;
// hardening advances in the order of the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/log/log_buffer.hpp"
#include "sim/log/log_state.hpp"
#include "sim/promises/promise_book.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class LogHardening {
public:
    // `writer_work` is set when a task waits for a block that may not have been sealed yet. Both must outlive this object. `promises`:
    // where hardening is recorded; may be null.
    LogHardening(LogState& state, ums::Event& writer_work, PromiseBook* promises)
        : state_(state), writer_work_(writer_work), promises_(promises) {}
    LogHardening(const LogHardening&) = delete;
    LogHardening& operator=(const LogHardening&) = delete;
    // Asserts that no task waits.
    ~LogHardening();

    [[nodiscard]] bool is_hardened(std::uint64_t lsn) const { return lsn_.load(std::memory_order_acquire) >= lsn; }
    // The newest block that is hardened along with all before it; 0: none.
    [[nodiscard]] std::uint64_t block_sequence() const { return block_sequence_.load(std::memory_order_acquire); }

    // Sets how far the log was hardened before this incarnation of the run. Call it before the first block.
    void go_on(std::uint64_t block_sequence, std::uint64_t lsn) {
        block_sequence_.store(block_sequence, std::memory_order_release);
        lsn_.store(lsn, std::memory_order_release);
    }

    // Waits until the record at `lsn` is hardened. False if the log has failed.
    ums::Task<bool> harden(std::uint64_t lsn);

    // For the log manager: whether a task waits for `lsn`, or for a later one.
    [[nodiscard]] bool is_wanted_locked(std::uint64_t lsn) const { return lsn <= wanted_lsn_; }
    // A block has been sealed; in the order of the log.
    void expect_locked(LogBuffer& buffer) { unhardened_.push_back(&buffer); }
    // A block has completed, or failed. Blocks that are no longer needed go to `free`; tasks that need not wait any more are appended to
    // `released`.
    void advance_locked(std::vector<LogBuffer*>& free, ums::WaitQueue& released);

private:
    struct Awaiter;

    LogState& state_;
    ums::Event& writer_work_;
    PromiseBook* const promises_;
    std::atomic<std::uint64_t> lsn_{0};             // changed under the lock
    std::atomic<std::uint64_t> block_sequence_{0};  // likewise

    // Guarded by the log's lock.
    std::deque<LogBuffer*> unhardened_;  // sealed but not yet hardened, in order
    std::uint64_t wanted_lsn_ = 0;
    ums::Fifo<Awaiter> waiting_;
};

}  // namespace sim
