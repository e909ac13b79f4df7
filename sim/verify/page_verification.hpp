// Reads every page of the data files that a crash left, and compares it with what the log proves. Writes nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "sim/files/page_ranges.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/results.hpp"
#include "sim/verify/log_analysis.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

class PageVerification {
public:
    // Receives each page, on the scheduler that read it: as it came, and how it was judged after all re-reads. A page that could not be
    // read is wrong. Once more the pages of a region that is read again, because its sums differ, and those that they show to be too old.
    using Take = std::function<void(const ProvenPage& proven, const PageJudgement& judgement, const std::byte* image)>;

    // All references must outlive the object. `log` has run.
    PageVerification(const std::vector<SimFile*>& data_files, LogAnalysis& log, ums::SchedulerGroup& schedulers, RunState& run,
                     Journal& journal, Take take = {});

    // Called once, before the first page that stays wrong is reported, on any scheduler: for findings that explain it. Before run().
    void before_wrong_pages(std::function<void()> explain) { explain_ = std::move(explain); }

    ums::Task<void> run();

    // Pages show that the run had begun to change them, even if its log does not. After run().
    [[nodiscard]] bool has_seen_changes() const { return wrong_pages_ != 0 || pages_beyond_log_ != 0; }
    // Fills in the figures about pages.
    void describe(DurabilityResult& result) const;
    [[nodiscard]] double done_fraction() const;

private:
    struct File {
        SimFile* file = nullptr;
        ProvenFile* proven = nullptr;
        PageRanges ranges;
    };
    struct WrongPage {
        WrongPage(const ProvenPage& wanted, const std::byte* found) : proven(wanted), image(found) {}
        ProvenPage proven;
        const std::byte* image;                                   // as it came first; not owned
        PageJudgement judgement{PageCondition::wrong, 0, false};  // as far as later reads say
        std::vector<Reread> rereads;
        std::vector<std::byte> last;  // what the last read returned; empty if it was the first image, or right
        bool is_reported = false;
        bool is_of_measurement = false;  // see later_measurement.hpp: not the storage's fault, and the end of the verification
    };

    ums::Task<void> verify_ranges(File& file);
    ums::Task<void> verify_range(File& file, std::uint32_t first_page, std::uint32_t count, std::byte* bytes);
    // A range that could not be read at once.
    struct FailedRange {
        std::uint32_t first_page = 0;
        std::byte* bytes = nullptr;
        std::vector<std::uint8_t> has_come;  // of each page, whether a later read brought it
        bool is_reported = false;
    };
    ums::Task<bool> verify_after_failure(File& file, FailedRange& range);
    ums::Task<void> try_missing(File& file, FailedRange& range, std::uint32_t index, std::uint32_t count);
    ums::Task<void> try_page(File& file, FailedRange& range, std::uint32_t index);
    ums::Task<void> retry_missing(File& file, FailedRange& range, std::uint32_t together_max);
    ums::Task<void> retry_pages(File& file, FailedRange& range, std::uint32_t index, std::uint32_t count);
    ums::Task<void> take_failed_range(File& file, const FailedRange& range);
    ums::Task<bool> is_legal_hole(File& file, std::uint32_t first_page, std::uint32_t count, std::uint64_t& hole_end_bytes);
    ums::Task<void> verify_pages(File& file, std::uint32_t first_page, std::uint32_t count, const std::byte* images);
    [[nodiscard]] PageJudgement judge(const std::byte* image, const ProvenPage& proven) const;
    void take_verified(File& file, const ProvenPage& proven, const PageJudgement& judgement, const std::byte* image);
    ums::Task<void> explain(File& file, std::span<WrongPage> wrong);
    ums::Task<void> read_again(File& file, WrongPage& page);
    void report_page(File& file, WrongPage& page);
    void count(File& file, const ProvenPage& proven, const PageJudgement& judgement);
    static void add_to_sums(File& file, const ProvenPage& proven, const PageJudgement& judgement);
    ums::Task<void> compare_regions(File& file);
    ums::Task<void> report_mismatch(File& file, const RegionSums::Mismatch& mismatch);
    ums::Task<std::vector<std::uint32_t>> sum_again(File& file, const RegionSums::Mismatch& mismatch);
    ums::Task<bool> report_only_page(File& file, const RegionSums::Mismatch& mismatch, std::uint32_t summed_version);
    ums::Task<bool> report_two_pages(File& file, const RegionSums::Mismatch& mismatch, const std::vector<std::uint32_t>& summed_versions);
    void take_later(const ProvenPage& proven, const PageJudgement& judgement, const std::byte* image);
    void take_lacking(std::span<const WrongPage> pages);
    void report_region(File& file, const RegionSums::Mismatch& mismatch, bool was_read_again);
    void report_passing_mismatch(File& file, const RegionSums::Mismatch& mismatch);
    void report_short_file(File& file);
    void stop_for_measurement(const File& file, const WrongPage& page);
    void explain_wrong_pages();
    [[nodiscard]] std::uint32_t promised_pages_of(const File& file) const;
    [[nodiscard]] ProvenPage proven_page(const File& file, std::uint32_t page) const;
    [[nodiscard]] bool has_old_data(const File& file, std::uint32_t page) const;

    const std::vector<SimFile*>& data_files_;
    LogAnalysis& log_;
    const RecoveredLog recovered_;
    ums::SchedulerGroup& schedulers_;
    RunState& run_;
    Journal& journal_;
    const Take take_;
    std::mutex explain_mutex_;  // guards explain_, which others wait for
    std::function<void()> explain_;
    std::vector<std::unique_ptr<File>> files_;
    std::uint64_t total_pages_ = 0;
    std::atomic<std::uint64_t> done_pages_{0};
    std::atomic<std::uint64_t> pages_proven_{0};
    std::atomic<std::uint64_t> pages_promised_{0};
    std::atomic<std::uint64_t> pages_released_{0};
    std::atomic<std::uint64_t> torn_pages_{0};
    std::atomic<std::uint64_t> torn_on_4k_lines_{0};
    std::atomic<std::uint64_t> pages_beyond_log_{0};
    std::atomic<std::uint64_t> wrong_pages_{0};
    std::atomic<std::uint64_t> diagnosed_{0};
    std::atomic<std::uint64_t> unreadable_ranges_{0};
    std::uint64_t regions_compared_ = 0;
    std::uint64_t regions_skipped_ = 0;
    std::uint32_t regions_read_again_ = 0;
};

}  // namespace sim
