// Reads pages of backup files and verifies them: RESTORE VERIFYONLY of stripes, and the comparison of restored files.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sim/backup/backup_parts.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

// Adjacent pages of one backup file, at most one block.
struct ReadBackRange {
    DataFile* data = nullptr;
    std::uint32_t first_page = 0;
    std::uint32_t page_count = 0;
};

class PageReadBack {
public:
    PageReadBack(BackupParts& parts, std::vector<ReadBackRange> ranges) : parts_(parts), ranges_(std::move(ranges)) {}

    // False if the run stops.
    ums::Task<bool> run();
    [[nodiscard]] std::uint64_t page_count() const { return page_count_.load(std::memory_order_relaxed); }

private:
    ums::Task<void> read_some();

    BackupParts& parts_;
    const std::vector<ReadBackRange> ranges_;
    std::atomic<std::uint64_t> next_range_{0};
    std::atomic<std::uint64_t> page_count_{0};
};

// The places of the runs in the stripes: adjacent runs together, up to one block.
[[nodiscard]] std::vector<ReadBackRange> stripe_ranges(BackupParts& parts, std::vector<PageRun> runs);
// All pages of a file, in blocks.
void add_whole_file(std::vector<ReadBackRange>& ranges, DataFile& data, std::uint32_t block_pages);

}  // namespace sim
