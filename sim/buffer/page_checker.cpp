#include "sim/buffer/page_checker.hpp"

#include <algorithm>

#include "sim/page/page_verifier.hpp"
#include "ums/sched/scheduler.hpp"

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

ums::Task<void> PageChecker::check(DataFile& data, ReadPage read, std::vector<ReadPage>& wrong) const {
    co_await ums::Scheduler::current().before_computing(data.file.has_device());
    if (!matches(data, read)) wrong.push_back(read);
}

ums::Task<void> PageChecker::diagnose(DataFile& data, std::span<ReadPage> wrong) {
    std::sort(wrong.begin(), wrong.end(), [](const ReadPage& a, const ReadPage& b) { return a.page < b.page; });
    return diagnosis_.diagnose(data, wrong);
}

}  // namespace sim
