#include "sim/workers/long_io_monitor.hpp"

#include <fmt/format.h>

namespace sim {

ums::Task<void> watch_for_long_io(RunContext& context, ums::Event& stop) {
    ums::Scheduler& scheduler = ums::Scheduler::current();
    while (!co_await stop.wait(ums::WaitType::sleep_task, context.now_ns() + ums::kNsPerSecond)) {
        const std::uint64_t now_ns = context.now_ns();
        const std::uint64_t limit_ns = kLongIoSeconds * ums::kNsPerSecond;
        if (now_ns < limit_ns) continue;
        scheduler.visit_pending_io(now_ns - limit_ns, [&](ums::IoRequest& request) {
            if (request.reported_long || request.owner == nullptr) return;
            request.reported_long = true;
            auto& file = *static_cast<SimFile*>(const_cast<void*>(request.owner));
            context.journal.warning(fmt::format("I/O request takes longer than {} seconds: {} of {} is outstanding for {} ms.",
                                                kLongIoSeconds, describe_request(request), file.path(),
                                                (now_ns - request.submitted_ns) / ums::kNsPerMs));
        });
    }
}

}  // namespace sim
