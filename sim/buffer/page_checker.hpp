// Verifies every page that comes back.
#pragma once

#include <cstdint>
#include <span>

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

    // Classifies, reports and repairs what is wrong with the pages; they may be used afterwards. A caller that reads several pages compares
    // each as it comes, and all of them before this: a search may meet one that has changed meanwhile, and must know that it was right.
    ums::Task<void> diagnose(DataFile& data, std::span<const ReadPage> wrong) { return diagnosis_.diagnose(data, wrong); }

private:
    const std::uint64_t run_id_;
    PageDiagnosis& diagnosis_;
};

}  // namespace sim
