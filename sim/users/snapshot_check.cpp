#include <algorithm>
#include <cstdint>

#include "sim/buffer/snapshot.hpp"
#include "sim/users/users.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// Between two tries to take a snapshot for which there is no room.
constexpr std::uint64_t kTriesNs = ums::kNsPerSecond;

// Read-ahead of DBCC: 512 KB. False: there is no snapshot, and a warning says why.
ums::Task<bool> check_file(RunContext& context, Snapshot& snapshot) {
    RangeReader reader = context.make_reader();
    const std::uint32_t step = std::min(kReadAheadPages, context.transfer_pages_max());
    co_await snapshot.take();
    if (snapshot.pages() == 0) co_return false;
    for (std::uint32_t page = 0; page < snapshot.pages() && !context.run.users_must_stop(); page += step) {
        const std::uint32_t pages = co_await snapshot.read(reader, page, step);
        WorkCounters::add(context.snapshot_checks.pages_read, pages);
        co_await ums::Scheduler::current().yield_if_due();
    }
    if (!context.run.users_must_stop()) WorkCounters::add(context.snapshot_checks.cycles, 1);
    co_return true;
}

}  // namespace

ums::Task<void> run_snapshot_check(RunContext& context) {
    const std::uint64_t delay_ns = context.options.audit_user.snapshot_check_delay_s * ums::kNsPerSecond;
    bool has_snapshots = true;
    while (has_snapshots && !context.run.users_must_stop()) {
        has_snapshots = false;
        std::uint64_t pause_ns = delay_ns;
        for (const auto& data : context.data_files) {
            if (data->snapshot == nullptr || context.run.users_must_stop()) continue;
            has_snapshots = true;
            const bool is_taken = co_await check_file(context, *data->snapshot);
            if (!is_taken) pause_ns = std::max(delay_ns, kTriesNs);
        }
        co_await context.run.users_stop().wait(ums::WaitType::sleep_task, context.now_ns() + pause_ns);
    }
}

}  // namespace sim
