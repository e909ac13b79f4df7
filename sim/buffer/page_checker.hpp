// Verifies every page that comes back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/diagnosis/page_diagnosis.hpp"
#include "sim/files/data_file.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class PageChecker {
public:
    PageChecker(std::uint64_t run_id, PageDiagnosis& diagnosis) : run_id_(run_id), diagnosis_(diagnosis) {}

    // Compares `image` with the ledger, and counts. The caller holds the page's latch (UP or EX), so nobody writes it meanwhile. What is
    // not right must be diagnosed under the same latch.
    [[nodiscard]] bool matches(DataFile& data, std::uint32_t page, const std::byte* image) const;

    // Names, reports and repairs what is wrong with the page; it may be used afterwards.
    ums::Task<void> diagnose(DataFile& data, std::uint32_t page, const std::byte* image) { return diagnosis_.diagnose(data, page, image); }

private:
    const std::uint64_t run_id_;
    PageDiagnosis& diagnosis_;
};

}  // namespace sim
