// Judges a page that a crash left by what the log proves about it. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/diagnosis/classifier.hpp"
#include "sim/finding.hpp"
#include "sim/promises/promises.hpp"
#include "sim/verify/page_bounds.hpp"

namespace sim {

// What applies to all pages.
struct RecoveredLog {
    std::uint64_t run_id = 0;
    std::uint64_t begin_lsn = 0;    // of the last complete checkpoint; 0: there is none
    std::uint64_t last_lsn = 0;     // of the log's last record; 0: there is no log
    bool has_hole = false;          // changes after the end of the log have been acknowledged: the log is to blame, not the pages
    bool is_partly_unread = false;  // there, a later incarnation may have its entire log
    std::uint64_t last_utc_us = 0;  // when its last block was made; 0: there is none
};

struct ProvenPage {
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    PageBounds::Bound bound;
    Promises::Page promised{};  // what a ledger outside the storage holds about it
    bool is_made = true;        // otherwise the file may hold anything but changes of this run, which come after the first log block
    bool has_old_data = false;  // until its first write, the page holds whatever was there before the run
    // In a part of the log that is missing, the file may have been cut, and have grown again by zeros. What is whole must be as the rest of
    // the log, and the ledger, allow: a new page has a newer LSN.
    bool may_be_cut_off = false;

    // The minimum version of the page, from log or ledger; 0: it may never have been written.
    [[nodiscard]] std::uint32_t least() const { return std::max<std::uint32_t>(bound.least, promised.version); }
};

enum class PageCondition : std::uint8_t {
    sound,       // as the log allows
    torn,        // of several versions, which is legal: a write of it was in flight at the cut
    beyond_log,  // sound, but of a change that the log does not have; see RecoveredLog::has_hole
    wrong,
};

struct PageJudgement {
    PageCondition condition = PageCondition::sound;
    std::uint32_t version = 0;  // 0: never written, as far as can be seen
    bool is_tear_on_4k_lines = false;
};

// `page`: kPageBytes, 8-aligned.
[[nodiscard]] PageJudgement judge_page(const std::byte* page, const ProvenPage& wanted, const RecoveredLog& recovered);

// Classifies what is wrong. Fills in everything except path, times, re-reads and history. `is_transient`: a later read gave another page.
// `later_reads`: what all of them gave. `is_unsteady`: each gave another page.
[[nodiscard]] Finding name_wrong_page(const std::byte* page, const ProvenPage& wanted, const RecoveredLog& log, bool is_transient,
                                      LaterReads later_reads = LaterReads::all, bool is_unsteady = false);

}  // namespace sim
