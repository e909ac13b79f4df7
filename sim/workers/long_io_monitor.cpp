#include "sim/workers/long_io_monitor.hpp"

#include <utility>

#include "sim/files/overdue_request.hpp"

namespace sim {

ums::Task<void> watch_for_long_io(RunContext& context, ums::Event& stop) {
    ums::Scheduler& scheduler = ums::Scheduler::current();
    while (!co_await stop.wait(ums::WaitType::sleep_task, context.now_ns() + ums::kNsPerSecond)) {
        const std::uint64_t now_ns = context.now_ns();
        const std::uint64_t limit_ns = kLongIoSeconds * ums::kNsPerSecond;
        if (now_ns < limit_ns) continue;
        scheduler.visit_pending_io(now_ns - limit_ns, [&](ums::IoRequest& request) {
            if (request.owner == nullptr) return;
            auto& file = *static_cast<SimFile*>(const_cast<void*>(request.owner));
            judge_overdue(request, file.id(), file.options(), context.run, context.journal,
                          [&file](Finding finding) { file.report(std::move(finding)); });
        });
    }
}

}  // namespace sim
