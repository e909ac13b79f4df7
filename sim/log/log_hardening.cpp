#include "sim/log/log_hardening.hpp"

#include <algorithm>
#include <mutex>

#include "ums/base/assert.hpp"

namespace sim {

struct LogHardening::Awaiter : ums::Waiter {
    LogHardening& hardening;
    std::uint64_t lsn;
    Awaiter(LogHardening& log_hardening, std::uint64_t wanted) : hardening(log_hardening), lsn(wanted) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> suspended) {
        {
            const std::lock_guard guard(hardening.state_.lock);
            if (hardening.is_hardened(lsn) || hardening.state_.failed) return false;
            hardening.wanted_lsn_ = std::max(hardening.wanted_lsn_, lsn);
            suspend(suspended, ums::WaitType::writelog);
            hardening.waiting_.push_back(*this);
        }
        hardening.writer_work_.set();
        return true;
    }
    void await_resume() const noexcept {}
};

LogHardening::~LogHardening() { UMS_ASSERT(waiting_.empty()); }

ums::Task<bool> LogHardening::harden(std::uint64_t lsn) {
    if (!is_hardened(lsn)) co_await Awaiter(*this, lsn);
    co_return !state_.failed && is_hardened(lsn);
}

void LogHardening::advance_locked(std::vector<LogBuffer*>& free, ums::WaitQueue& released) {
    while (!unhardened_.empty() && unhardened_.front()->is_written) {
        LogBuffer* const first = unhardened_.front();
        unhardened_.pop_front();
        if (!state_.failed) {
            block_sequence_.store(first->sequence, std::memory_order_release);
            lsn_.store(first->last_lsn, std::memory_order_release);
            if (promises_ != nullptr) promises_->hardened(first->sequence, first->last_lsn);
        }
        free.push_back(first);
    }
    Awaiter* next = nullptr;
    for (Awaiter* awaiter = waiting_.front(); awaiter != nullptr; awaiter = next) {
        next = waiting_.next(*awaiter);
        if (!is_hardened(awaiter->lsn) && !state_.failed) continue;
        waiting_.remove(*awaiter);
        released.push_back(*awaiter);
    }
}

}  // namespace sim
