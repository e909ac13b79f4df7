#include "sim/backup/page_copy.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "sim/files/page_ranges.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

bool has_changed(const BackupSource& source, std::uint32_t page) {
    const PageLedger::Entry entry = source.data->ledger[page];
    return entry.unknown != 0 || entry.lsn != source.base_lsns[page];
}

}  // namespace

std::vector<PageBlock> blocks_of_all_pages(const BackupParts& parts) {
    std::vector<PageBlock> blocks;
    for (std::size_t i = 0; i < parts.sources.size(); ++i) {
        const std::uint32_t pages = parts.sources[i].data->file.pages();
        PageRanges ranges;
        while (const auto range = ranges.take(parts.block_pages, pages)) blocks.push_back({i, {{range->first, range->count}}});
    }
    return blocks;
}

ums::Task<std::vector<PageBlock>> blocks_of_changed_pages(const BackupParts& parts) {
    std::vector<PageBlock> blocks;
    for (std::size_t i = 0; i < parts.sources.size(); ++i) {
        const BackupSource& source = parts.sources[i];
        const std::uint32_t pages = source.data->file.pages();
        std::uint32_t in_block = parts.block_pages;
        for (std::uint32_t first = 0; first < pages; first += kExtentPages) {
            if (first % kPagesBetweenYields == 0) co_await ums::Scheduler::current().yield_if_due();
            const std::uint32_t count = std::min(kExtentPages, pages - first);
            bool is_changed = false;
            for (std::uint32_t page = first; page < first + count && !is_changed; ++page) is_changed = has_changed(source, page);
            if (!is_changed) continue;
            if (in_block + count > parts.block_pages) {
                blocks.push_back({i, {}});
                in_block = 0;
            }
            std::vector<PageBlock::Range>& ranges = blocks.back().ranges;
            const bool follows = !ranges.empty() && ranges.back().first_page + ranges.back().page_count == first;
            if (follows) {
                ranges.back().page_count += count;
            } else {
                ranges.push_back({first, count});
            }
            in_block += count;
        }
    }
    co_return blocks;
}

std::uint32_t stripe_pages_for(std::uint64_t block_count, std::uint32_t stripe_count, std::uint32_t block_pages) {
    return static_cast<std::uint32_t>((block_count + stripe_count - 1) / stripe_count * block_pages);
}

std::uint32_t PageCopy::stripe_of(std::uint64_t number) const { return static_cast<std::uint32_t>(number % parts_.files.stripe_count); }

std::uint32_t PageCopy::position_of(std::uint64_t number) const {
    return first_position_ + static_cast<std::uint32_t>(number / parts_.files.stripe_count) * parts_.block_pages;
}

ums::Task<bool> PageCopy::run() {
    ums::TaskGroup readers;
    readers_ = parts_.options.reader_count;
    parts_.spawn_tasks(readers, "Backup", [this] { return read_some(); });
    co_await readers_done_.wait(ums::WaitType::backupthread);
    co_await readers.join();
    co_return !has_failed_ && !parts_.context.run.is_stopping();
}

ums::Task<void> PageCopy::read_some() {
    PageTransfers transfers = parts_.make_transfers();
    ums::TaskGroup writes;
    while (!has_failed_ && !parts_.context.run.is_stopping()) {
        std::byte* const buffer = co_await parts_.buffers.acquire();
        const std::uint64_t number = next_block_.fetch_add(1, std::memory_order_relaxed);
        std::vector<PageLedger::Entry> entries;
        bool is_read = number < blocks_.size();
        const bool is_end = !is_read;
        if (is_read) is_read = co_await read_block(transfers, number, buffer, entries);
        if (!is_read) {
            parts_.buffers.release(buffer);
            if (!is_end) has_failed_ = true;
            break;
        }
        ums::Scheduler::current().fork(writes, write_block(number, buffer, std::move(entries)));
        co_await ums::Scheduler::current().yield_if_due();
    }
    co_await writes.join();
    if (readers_.fetch_sub(1) == 1) readers_done_.set();
}

ums::Task<bool> PageCopy::read_block(PageTransfers& transfers, std::uint64_t number, std::byte* buffer,
                                     std::vector<PageLedger::Entry>& entries) {
    const PageBlock& block = blocks_[number];
    BackupSource& source = parts_.sources[block.source];
    std::vector<PageLedger::Entry> read;
    for (const PageBlock::Range& range : block.ranges) {
        std::byte* const memory = buffer + entries.size() * kPageBytes;
        const bool is_read = co_await transfers.read(*source.data, range.first_page, range.page_count, memory, read);
        if (!is_read) co_return false;
        if (read.empty()) break;  // the file has been cut
        const auto position = position_of(number) + static_cast<std::uint32_t>(entries.size());
        const auto count = static_cast<std::uint32_t>(read.size());
        for (std::uint32_t i = 0; is_base_ && i < count && !source.base_lsns.empty(); ++i) {
            source.base_lsns[range.first_page + i] = read[i].lsn;
        }
        entries.insert(entries.end(), read.begin(), read.end());
        page_count_.fetch_add(count, std::memory_order_relaxed);
        WorkCounters::add(parts_.context.backup.pages_read, count);
        const std::lock_guard guard(lock_);
        runs_.push_back({source.data->file.id(), range.first_page, count, stripe_of(number), position});
    }
    co_return true;
}

ums::Task<void> PageCopy::write_block(std::uint64_t number, std::byte* buffer, std::vector<PageLedger::Entry> entries) {
    if (!entries.empty()) {
        PageTransfers transfers = parts_.make_transfers();
        const bool is_written = co_await transfers.write(parts_.stripe(stripe_of(number)), position_of(number), entries, buffer);
        if (!is_written) has_failed_ = true;
        WorkCounters::add(parts_.context.backup.pages_updated, entries.size());
    }
    parts_.buffers.release(buffer);
}

std::vector<PageRun> PageCopy::take_runs() {
    std::sort(runs_.begin(), runs_.end(),
              [](const PageRun& a, const PageRun& b) { return std::pair(a.file_id, a.first_page) < std::pair(b.file_id, b.first_page); });
    return std::move(runs_);
}

}  // namespace sim
