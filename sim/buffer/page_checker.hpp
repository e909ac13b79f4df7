// Verifies every page that comes back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/diagnosis/page_diagnosis.hpp"
#include "sim/files/data_file.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class PageChecker {
public:
    PageChecker(std::uint64_t run_id, PageDiagnosis& diagnosis) : run_id_(run_id), diagnosis_(diagnosis) {}

    // Compares the page with the ledger, and counts. The caller holds its latch (UP or EX), so nothing writes it meanwhile. A wrong page
    // must be diagnosed under the same latch.
    [[nodiscard]] bool matches(DataFile& data, const ReadPage& read) const;

    // The same for one of several pages, to be called as soon as it has come: others may be tried again for long, and the history of
    // this one must not miss that it was right. Tasks that may start I/O go first. Adds the page to `wrong` if it is. The references must
    // outlive the task.
    ums::Task<void> check(DataFile& data, ReadPage read, std::vector<ReadPage>& wrong) const;

    // Classifies, reports and repairs what is wrong with the pages, which it sorts; they may be used afterwards. A caller that reads
    // several pages compares all of them before this: a search may meet one that has changed meanwhile, and must know that it was right.
    ums::Task<void> diagnose(DataFile& data, std::span<ReadPage> wrong);

private:
    const std::uint64_t run_id_;
    PageDiagnosis& diagnosis_;
};

}  // namespace sim
