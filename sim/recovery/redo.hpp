// The second half of recovery: brings the data files that a crash left up to the end of the log. Pages that are older than the log's last
// change of them, and pages that the cut has torn, are rewritten; the ledgers then say what is there, and a run can continue. An image
// follows from its place and version, so the log need not hold it. The analysis of the log and the verification of all pages come first; if
// they found something wrong, only a repair continues.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "sim/files/data_file.hpp"
#include "sim/files/page_ranges.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/results.hpp"
#include "sim/verify/log_analysis.hpp"
#include "sim/verify/page_verification.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

class Redo {
public:
    // All references must outlive the object. `log` has run; the ledgers are empty.
    Redo(std::vector<DataFile*> data_files, LogAnalysis& log, ums::SchedulerGroup& schedulers, RunState& run, Journal& journal);

    // The verification passes each page here: what is there. Any scheduler.
    void take(const ProvenPage& proven, const PageJudgement& judgement, const std::byte* image);

    // Brings files to the size in the log, pages to the last change in it, and all of that to stable storage. Once, after the verification.
    // Incomplete if the run stops, as it does if the log does not come back as it was analysed.
    ums::Task<void> run();

    void describe(ResumeResult& result) const;

private:
    struct LostPage {
        DataFile* data = nullptr;
        std::uint32_t page = 0;
        std::uint32_t version = 0;  // the minimum
    };

    [[nodiscard]] DataFile* file_of(std::uint32_t file_id) const;
    void take_record(const LogRecordHeader& header);
    void take_resize(DataFile& data, const LogRecordHeader& header);
    static void forget_unless_there(PageLedger& ledger, const LogRecordHeader& cut);
    void end_open_cuts();
    ums::Task<void> fit_size(DataFile& data);
    void give_up_lost_pages();
    ums::Task<void> write_pages();
    ums::Task<void> write_some(DataFile& data, PageRanges& ranges);
    ums::Task<void> write_page(DataFile& data, std::uint32_t page, std::byte* image);
    ums::Task<void> sync(DataFile& data);

    const std::vector<DataFile*> data_files_;
    LogAnalysis& log_;
    ums::SchedulerGroup& schedulers_;
    RunState& run_;
    Journal& journal_;
    // The cut of each file that was logged last, until the next record about the file's size shows whether it may have been taken back. If
    // not, it takes the images and changes that are older than it.
    std::map<DataFile*, LogRecordHeader> open_cuts_;
    std::mutex mutex_;  // guards what follows while pages are verified
    std::vector<LostPage> lost_;
    std::uint64_t pages_given_up_ = 0;
    std::atomic<std::uint64_t> pages_written_{0};
};

}  // namespace sim
