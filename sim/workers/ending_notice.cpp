#include "sim/workers/ending_notice.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sim {

namespace {
constexpr std::uint32_t kSecondsBetween = 3;
}  // namespace

OutstandingIo outstanding_io(ums::SchedulerGroup& schedulers, std::uint64_t now_ns) {
    OutstandingIo outstanding;
    std::uint64_t oldest_ns = now_ns;
    for (std::uint32_t cpu = 0; cpu < schedulers.size(); ++cpu) {
        outstanding.count += schedulers[cpu].pending_io();
        const std::uint64_t posted_ns = schedulers[cpu].oldest_io_ns();
        if (posted_ns != 0) oldest_ns = std::min(oldest_ns, posted_ns);
    }
    outstanding.oldest_us = (now_ns - oldest_ns) / 1000;
    return outstanding;
}

ums::Task<void> report_outstanding_io(RunContext& context, ums::Event& stop) {
    std::uint32_t seconds = 0;  // that something has been ending
    while (!co_await stop.wait(ums::WaitType::sleep_task, context.now_ns() + ums::kNsPerSecond)) {
        const bool is_stopping = context.run.is_stopping();
        seconds = is_stopping || context.run.users_are_ending() ? seconds + 1 : 0;
        const OutstandingIo outstanding = outstanding_io(context.schedulers, context.now_ns());
        if (seconds == 0 || seconds % kSecondsBetween != 0 || outstanding.count == 0) continue;
        context.journal.info(fmt::format("{}: {} request{} outstanding, the oldest for {:.1f} s.",
                                         is_stopping ? "Stopping the run" : "Ending the main run", outstanding.count,
                                         outstanding.count == 1 ? "" : "s", static_cast<double>(outstanding.oldest_us) / 1e6));
    }
}

}  // namespace sim
