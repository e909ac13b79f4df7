#include "sim/files/overdue_request.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/files/sim_file.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/limits.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

void check_overdue(ums::IoRequest& request, std::uint32_t file_id, const FileOptions& file, RunState& run, Journal& journal,
                   const std::function<void(Finding)>& report) {
    const std::uint64_t out_ns = journal.clock().now_ns() - request.submitted_ns;
    if (!request.reported_long && out_ns >= kLongIoSeconds * ums::kNsPerSecond) {
        request.reported_long = true;
        journal.warning(fmt::format("I/O request takes longer than {} seconds: {} of {} has been outstanding for {} ms.", kLongIoSeconds,
                                    describe_request(request), file.path, out_ns / ums::kNsPerMs));
    }
    if (request.reported_lost || out_ns < kLostIoSeconds * ums::kNsPerSecond) return;
    request.reported_lost = true;
    Finding finding = place_of_transfer(file_id, file, request, FindingKind::stalled_io);
    finding.failure = {.duration_us = out_ns / 1000};
    finding.description = fmt::format("A {} did not come back within {} seconds.", describe_request(request), kLostIoSeconds);
    std::string reason = fmt::format("{}: {}", file.path, finding.description);
    run.record_lost_request();
    report(std::move(finding));
    run.stop(Outcome::failed, std::move(reason));
}

ums::Task<void> visit_overdue(ums::Event& stop, std::function<void(ums::IoRequest&)> visit) {
    constexpr std::uint64_t kLimitNs = kLongIoSeconds * ums::kNsPerSecond;
    constexpr std::uint64_t kPauseNs = 5 * ums::kNsPerSecond;
    ums::Scheduler& scheduler = ums::Scheduler::current();
    bool was_paused = false;
    std::uint64_t due_ns = scheduler.now_ns() + ums::kNsPerSecond;
    while (!co_await stop.wait(ums::WaitType::sleep_task, due_ns)) {
        const std::uint64_t now_ns = scheduler.now_ns();
        // After a pause of the whole process or machine, answers that came meanwhile have yet to be collected.
        was_paused = !was_paused && now_ns > due_ns + kPauseNs;
        if (!was_paused && now_ns >= kLimitNs) scheduler.visit_pending_io(now_ns - kLimitNs, visit);
        due_ns = now_ns + ums::kNsPerSecond;
    }
}

ums::Task<void> watch_for_long_io(RunState& run, Journal& journal, ums::Event& stop) {
    return visit_overdue(stop, [&run, &journal](ums::IoRequest& request) {
        if (request.owner == nullptr) return;
        auto& file = *static_cast<SimFile*>(const_cast<void*>(request.owner));
        check_overdue(request, file.id(), file.options(), run, journal, [&file](Finding finding) { file.report(std::move(finding)); });
    });
}

}  // namespace sim
