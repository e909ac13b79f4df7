#include <algorithm>

#include "sim/buffer/snapshot.hpp"
#include "sim/users/users.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// Read-ahead of DBCC: 512 KB.
ums::Task<void> check_file(RunContext& context, Snapshot& snapshot) {
    RangeReader reader = context.make_reader();
    const std::uint32_t step = std::min(kReadAheadPages, context.transfer_pages_max());
    co_await snapshot.take();
    for (std::uint32_t page = 0; page < snapshot.pages() && !context.run.users_must_stop(); page += step) {
        const std::uint32_t pages = co_await snapshot.read(reader, page, step);
        WorkCounters::add(context.snapshot_checks.pages_read, pages);
        co_await ums::Scheduler::current().yield_if_due();
    }
    if (!context.run.users_must_stop()) WorkCounters::add(context.snapshot_checks.cycles, 1);
}

}  // namespace

ums::Task<void> run_snapshot_check(RunContext& context) {
    const std::uint64_t delay_ns = context.options.audit_user.snapshot_check_delay_s * ums::kNsPerSecond;
    bool has_snapshots = true;
    while (has_snapshots && !context.run.users_must_stop()) {
        has_snapshots = false;
        for (const auto& data : context.data_files) {
            if (data->snapshot == nullptr || context.run.users_must_stop()) continue;
            has_snapshots = true;
            co_await check_file(context, *data->snapshot);
        }
        co_await context.run.users_stop().wait(ums::WaitType::sleep_task, context.now_ns() + delay_ns);
    }
}

}  // namespace sim
