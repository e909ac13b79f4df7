#include "sim/backup/page_read_back.hpp"

#include <algorithm>
#include <utility>

#include "sim/files/page_ranges.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

ums::Task<bool> PageReadBack::run() {
    ums::TaskGroup readers;
    parts_.spawn_tasks(readers, "Backup", [this] { return read_some(); });
    co_await readers.join();
    co_return !parts_.context.run.is_stopping();
}

ums::Task<void> PageReadBack::read_some() {
    PageTransfers transfers = parts_.make_transfers();
    std::vector<PageLedger::Entry> entries;
    while (!parts_.context.run.is_stopping()) {
        const std::uint64_t number = next_range_.fetch_add(1, std::memory_order_relaxed);
        if (number >= ranges_.size()) break;
        const ReadBackRange& range = ranges_[number];
        std::byte* const buffer = co_await parts_.buffers.acquire();
        const bool is_read = co_await transfers.read(*range.data, range.first_page, range.page_count, buffer, entries);
        parts_.buffers.release(buffer);
        if (!is_read) break;
        page_count_.fetch_add(entries.size(), std::memory_order_relaxed);
        WorkCounters::add(parts_.context.backup.pages_read, entries.size());
        co_await ums::Scheduler::current().yield_if_due();
    }
}

std::vector<ReadBackRange> stripe_ranges(BackupParts& parts, std::vector<PageRun> runs) {
    std::sort(runs.begin(), runs.end(),
              [](const PageRun& a, const PageRun& b) { return std::pair(a.stripe, a.position) < std::pair(b.stripe, b.position); });
    std::vector<ReadBackRange> ranges;
    for (const PageRun& run : runs) {
        DataFile* const stripe = &parts.stripe(run.stripe);
        const bool follows = !ranges.empty() && ranges.back().data == stripe &&
                             ranges.back().first_page + ranges.back().page_count == run.position &&
                             ranges.back().page_count + run.page_count <= parts.block_pages;
        if (follows) {
            ranges.back().page_count += run.page_count;
        } else {
            ranges.push_back({stripe, run.position, run.page_count});
        }
    }
    return ranges;
}

void add_whole_file(std::vector<ReadBackRange>& ranges, DataFile& data, std::uint32_t block_pages) {
    const std::uint32_t pages = data.file.pages();
    PageRanges all;
    while (const auto range = all.take(block_pages, pages)) ranges.push_back({&data, range->first, range->count});
}

}  // namespace sim
