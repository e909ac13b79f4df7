// Reads once all pages of files on which another host's run works, and compares each with what that run had been promised before.
//
// A write in flight ends with a whole page of a newer version, which distinguishes a page that the owner is just writing from a damaged
// one. A page that is whole but older than promised is wrong, whatever the owner does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/files/page_ranges.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/group/group_result.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/readers/promise_view.hpp"
#include "sim/readers/told_images.hpp"
#include "sim/verify/page_judge.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

class ReaderPass {
public:
    struct Setup {
        std::uint64_t run_id = 0;  // of the owner
        bool is_last = false;      // the owner has ended in order: no write is under way any more
        bool asks_again = false;   // what is promised meanwhile counts for reads that begin later
    };

    // All references must outlive the object. `view` has been asked, and the files' sizes were read after that. `told`: the images reported
    // by this pass and the ones before it.
    ReaderPass(const Setup& setup, const std::vector<SimFile*>& files, PromiseView& view, ToldImages& told, ums::SchedulerGroup& schedulers,
               RunState& run, Journal& journal);

    ums::Task<void> run();

    // Adds what was read.
    void add_to(ReaderResult& result) const;
    [[nodiscard]] double done_fraction() const;

private:
    struct File {
        SimFile* file = nullptr;
        PageRanges ranges;
    };
    // What later reads of a page have brought.
    struct LaterReads {
        PageJudgement judgement;        // by the last one that came
        bool is_same_image = true;      // likewise
        bool is_being_written = false;  // likewise
        std::vector<Reread> rereads{};
    };

    ums::Task<void> read_ranges(File& file);
    ums::Task<void> read_range(SimFile& file, std::uint32_t first_page, std::uint32_t count, std::byte* bytes);
    [[nodiscard]] PageJudgement judge(const std::byte* image, ProvenPage proven) const;
    ums::Task<void> take_page(SimFile& file, const ProvenPage& proven, const std::byte* image);
    ums::Task<void> look_again(SimFile& file, const ProvenPage& proven, const std::byte* image, PageCondition first);
    void take_reread(const ProvenPage& proven, const std::byte* bytes, Reread& reread, LaterReads& later) const;
    void conclude(SimFile& file, const ProvenPage& proven, const std::byte* image, PageCondition first, LaterReads later);
    [[nodiscard]] bool may_be_in_flight(const std::byte* image) const;
    ums::Task<void> demand_size(SimFile& file);
    void report(SimFile& file, const ProvenPage& proven, const std::byte* image, bool is_transient, std::vector<Reread> rereads);

    const Setup setup_;
    const std::vector<SimFile*>& owned_files_;
    PromiseView& view_;
    // From before their sizes were read.
    const std::shared_ptr<const Promises> promised_sizes_;
    ToldImages& told_;
    ums::SchedulerGroup& schedulers_;
    RunState& run_;
    Journal& journal_;
    const RecoveredLog every_change_;  // no log is examined: each change may have been made
    std::vector<std::unique_ptr<File>> files_;
    std::uint64_t total_pages_ = 0;
    std::atomic<std::uint64_t> pages_{0};
    std::atomic<std::uint64_t> promised_pages_{0};
    std::atomic<std::uint64_t> in_flight_pages_{0};
    std::atomic<std::uint64_t> looked_into_{0};
};

}  // namespace sim
