#include "sim/workers/long_io_monitor.hpp"

#include <fmt/format.h>

#include "sim/files/transfer_failure.hpp"

namespace sim {

namespace {

void warn_of_long(RunContext& context, ums::IoRequest& request, const SimFile& file, std::uint64_t out_ns) {
    request.reported_long = true;
    context.journal.warning(fmt::format("I/O request takes longer than {} seconds: {} of {} is outstanding for {} ms.", kLongIoSeconds,
                                        describe_request(request), file.path(), out_ns / ums::kNsPerMs));
}

// Nobody can say that it never will; but whoever waits for it cannot go on.
void report_lost(RunContext& context, ums::IoRequest& request, SimFile& file, std::uint64_t out_ns) {
    request.reported_lost = true;
    Finding finding = file.transfer_finding(request, FindingKind::stalled_io);
    finding.duration_us = out_ns / 1000;
    finding.description = fmt::format("A {} did not come back within {} seconds.", describe_request(request), kLostIoSeconds);
    context.run.note_lost_request();
    std::string reason = fmt::format("{}: {}", file.path(), finding.description);
    file.report(std::move(finding));
    context.run.stop(Outcome::failed, std::move(reason));
}

}  // namespace

ums::Task<void> watch_for_long_io(RunContext& context, ums::Event& stop) {
    ums::Scheduler& scheduler = ums::Scheduler::current();
    while (!co_await stop.wait(ums::WaitType::sleep_task, context.now_ns() + ums::kNsPerSecond)) {
        const std::uint64_t now_ns = context.now_ns();
        const std::uint64_t limit_ns = kLongIoSeconds * ums::kNsPerSecond;
        if (now_ns < limit_ns) continue;
        scheduler.visit_pending_io(now_ns - limit_ns, [&](ums::IoRequest& request) {
            if (request.owner == nullptr) return;
            auto& file = *static_cast<SimFile*>(const_cast<void*>(request.owner));
            const std::uint64_t out_ns = now_ns - request.submitted_ns;
            if (!request.reported_long) warn_of_long(context, request, file, out_ns);
            if (!request.reported_lost && out_ns >= kLostIoSeconds * ums::kNsPerSecond) report_lost(context, request, file, out_ns);
        });
    }
}

}  // namespace sim
