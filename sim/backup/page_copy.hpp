// Copies pages of the data files into the stripes while users work: several readers, whose blocks are written while they read the next.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sim/backup/backup_parts.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

// Pages of one source, at most one block.
struct PageBlock {
    struct Range {
        std::uint32_t first_page = 0;
        std::uint32_t page_count = 0;
    };
    std::size_t source = 0;
    std::vector<Range> ranges;  // ascending
};

// All pages.
[[nodiscard]] std::vector<PageBlock> blocks_of_all_pages(const BackupParts& parts);
// The extents with a page that differs from the last full backup. Yields: what changes meanwhile may be left out. `parts` must outlive the
// task.
[[nodiscard]] ums::Task<std::vector<PageBlock>> blocks_of_changed_pages(const BackupParts& parts);
// How many pages of each stripe this many blocks take.
[[nodiscard]] std::uint32_t stripe_pages_for(std::uint64_t block_count, std::uint32_t stripe_count, std::uint32_t block_pages);

class PageCopy {
public:
    // Block n goes to stripe n % stripes, from page `first_position` on. `is_base`: later differential backups are based on this one.
    PageCopy(BackupParts& parts, std::vector<PageBlock> blocks, std::uint32_t first_position, bool is_base)
        : parts_(parts), blocks_(std::move(blocks)), first_position_(first_position), is_base_(is_base) {}

    // False if the run stops.
    ums::Task<bool> run();
    // Where each page is, by source page.
    [[nodiscard]] std::vector<PageRun> take_runs();
    [[nodiscard]] std::uint64_t page_count() const { return page_count_.load(std::memory_order_relaxed); }

private:
    ums::Task<void> read_some();
    ums::Task<bool> read_block(PageTransfers& transfers, std::uint64_t number, std::byte* buffer, std::vector<PageLedger::Entry>& entries);
    ums::Task<void> write_block(std::uint64_t number, std::byte* buffer, std::vector<PageLedger::Entry> entries);
    [[nodiscard]] std::uint32_t stripe_of(std::uint64_t number) const;
    [[nodiscard]] std::uint32_t position_of(std::uint64_t number) const;

    BackupParts& parts_;
    const std::vector<PageBlock> blocks_;
    const std::uint32_t first_position_;
    const bool is_base_;
    std::atomic<std::uint64_t> next_block_{0};
    std::atomic<std::uint64_t> page_count_{0};
    std::atomic<bool> has_failed_{false};
    std::atomic<std::uint32_t> readers_{0};
    ums::Event readers_done_;
    ums::Spinlock lock_;
    std::vector<PageRun> runs_;  // guarded by the lock
};

}  // namespace sim
