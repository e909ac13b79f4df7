// Verifies every page that comes back, and asks again when it is wrong: only then is it known whether the fault stays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/files/data_file.hpp"
#include "sim/finding.hpp"
#include "sim/run/journal.hpp"
#include "sim/run/run_state.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// SQLIOSim reads a wrong page again up to 15 times.
inline constexpr std::uint32_t kRereadsMax = 15;

class PageChecker {
public:
    PageChecker(std::uint64_t run_id, RunState& run, Journal& journal) : run_id_(run_id), run_(run), journal_(journal) {}

    // Compares `image` with the ledger. The caller holds the page's latch (UP or EX), so nobody writes it meanwhile. True if the page is as
    // it must be. Otherwise a finding is reported and the page counts as unknown until it is written again.
    ums::Task<bool> check(DataFile& data, std::uint32_t page, const std::byte* image);

private:
    ums::Task<void> report(DataFile& data, std::uint32_t page, const std::byte* image, FindingKind kind);
    ums::Task<bool> reread_until_right(DataFile& data, std::uint32_t page, std::uint32_t& reads);
    [[nodiscard]] bool is_right(DataFile& data, std::uint32_t page, const std::byte* image, FindingKind& kind) const;

    const std::uint64_t run_id_;
    RunState& run_;
    Journal& journal_;
};

}  // namespace sim
