// SQL Server's patience with a transfer that has failed: it is logged and retried with growing pauses.
#pragma once

#include <cstdint>

#include "sim/files/transfer_failure.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

struct RetryResult {
    std::uint32_t tries = 1;  // the first one included
    bool has_recovered = false;
    TransferFailure last;  // unless it has recovered
};

// `attempt()` repeats the transfer: a Task<TransferFailure>, whose result also covers a complete transfer. Gives up after enough tries, and
// when the error is about space or the device. When `run`, which may be null, is stopping, there are no pauses, but as many tries:
// otherwise nobody could say whether the error lasts. The caller reports what was `first` and what is in the end. All references must live
// until it has returned.
template <typename Attempt>
ums::Task<RetryResult> retry_transfer(const TransferFailure& first, Attempt& attempt, const std::string& path, Journal& journal,
                                      const RunState* run) {
    RetryResult result{.last = first};
    while (result.tries <= kIoRetries && !is_about_space(result.last.error) && !is_about_device(result.last.error)) {
        journal.warning(retry_message(path, result.last));
        const bool may_wait = run == nullptr || !run->is_stopping();
        if (may_wait) co_await ums::sleep_until(journal.clock().now_ns() + kRetryPausesMs[result.tries - 1] * ums::kNsPerMs);
        result.last = co_await attempt();
        ++result.tries;
        if (result.last.is_complete()) {
            result.has_recovered = true;
            break;
        }
    }
    co_return result;
}

}  // namespace sim
