#include "sim/buffer/page_checker.hpp"

#include "sim/page/page_verifier.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

bool PageChecker::matches(DataFile& data, const ReadPage& read) const {
    const PageLedger::Entry entry = data.ledger[read.page];
    if (!page_matches(read.image, {run_id_, data.file.id(), read.page, entry})) return false;
    if (entry.unknown == 0) {
        data.file.local_counters().pages_verified.add(1);
        if (entry.read_back == 0) data.ledger.mark_read_back(read.page);
    }
    return true;
}

ums::Task<void> PageChecker::diagnose(DataFile& data, std::span<const ReadPage> wrong) {
    ums::TaskGroup diagnoses;
    for (const ReadPage& read : wrong) ums::Scheduler::current().fork(diagnoses, diagnosis_.diagnose(data, read.page, read.image));
    co_await diagnoses.join();
}

}  // namespace sim
