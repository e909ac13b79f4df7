#include "sim/backup/restore.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "sim/backup/backup_parts.hpp"
#include "sim/backup/page_read_back.hpp"
#include "sim/log/log_block_check.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

template <typename Value, typename Take>
void for_each_of(std::span<const std::byte> bytes, Take take) {
    for (std::size_t at = 0; at + sizeof(Value) <= bytes.size(); at += sizeof(Value)) {
        Value value;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        take(value);
    }
}

}  // namespace

ums::Task<bool> Restore::run() {
    const WorkClock clock(parts_.context.journal.clock());
    bool is_done = co_await read_chain();
    if (is_done) drop_cut_pages();
    if (is_done) is_done = co_await make_files();
    if (is_done) is_done = co_await write_pages(std::move(full_runs_));
    if (is_done) is_done = co_await write_pages(std::move(differential_runs_));
    if (is_done) is_done = co_await redo();
    if (is_done) is_done = co_await sync();
    if (!is_done) co_return false;
    clock.add_to(result_.restored, pages_written_, log_bytes_);
    const bool is_compared = co_await compare();
    co_return is_compared;
}

// --- what to do ---

// The pages of a backup hold everything that had been changed before it began.
const BackupSet& Restore::base_of_log() const {
    const BackupSet* base = &sets_.front();
    for (const BackupSet& set : sets_) {
        if (set.kind == BackupKind::differential) base = &set;
    }
    return *base;
}

ums::Task<bool> Restore::read_chain() {
    const BackupChain::Take take = [this](const ChunkHeader& header, std::span<const std::byte> body) { take_chunk(header, body); };
    const bool is_read = co_await parts_.chain.read(sets_.front().first_chunk, sets_.back().end_chunk, take);
    co_return is_read;
}

void Restore::take_chunk(const ChunkHeader& header, std::span<const std::byte> body) {
    const std::uint32_t base = base_of_log().number;
    switch (static_cast<ChunkKind>(header.kind)) {
        case ChunkKind::set_begin:
            if (header.set_number != base) return;
            for_each_of<SetFile>(body.subspan(sizeof(SetBegin)), [this](const SetFile& file) {
                redo_.emplace_back(file.page_count);
                base_pages_.push_back(file.page_count);
            });
            cuts_.resize(redo_.size());
            return;
        case ChunkKind::pages:
            for_each_of<PageRun>(body, [&](const PageRun& run) {
                if (header.set_number == sets_.front().number) full_runs_.push_back(run);
                if (header.set_number == base && base != sets_.front().number) differential_runs_.push_back(run);
            });
            return;
        case ChunkKind::log:
            if (header.set_number >= base) take_log(body);
            return;
        case ChunkKind::set_end: return;
    }
}

// STOPAT: the last backup ends in the middle of what was logged.
void Restore::take_log(std::span<const std::byte> blocks) {
    log_bytes_ += blocks.size();
    for (std::size_t at = 0; at + sizeof(LogBlockHeader) <= blocks.size();) {
        const std::byte* const block = blocks.data() + at;
        const LogBlockHeader header = read_block_header(block);
        static_cast<void>(for_each_record(block, [this](const LogRecordHeader& record, std::span<const std::byte> /*body*/) {
            const std::size_t source = source_of(record.file_id);
            if (source >= redo_.size() || record.lsn > sets_.back().last_lsn) return;
            if (record.kind == static_cast<std::uint16_t>(LogRecordKind::file_resize) && is_cut(record)) ++cuts_[source];
            redo_[source].take(record);
        }));
        at += std::max<std::uint32_t>(header.size_bytes, sizeof header);
    }
}

std::size_t Restore::source_of(std::uint32_t file_id) const {
    std::size_t source = 0;
    while (source < parts_.sources.size() && parts_.sources[source].data->file.id() != file_id) ++source;
    return source;
}

// What the full backup has of pages that were no longer there when the differential one began: the log from there on does not have the cut,
// and if the file has grown again, these pages are new.
void Restore::drop_cut_pages() {
    if (base_of_log().number == sets_.front().number) return;
    for (PageRun& run : full_runs_) {
        const std::uint32_t pages = base_pages_.at(source_of(run.file_id));
        run.page_count = std::min(run.page_count, pages - std::min(pages, run.first_page));
    }
    std::erase_if(full_runs_, [](const PageRun& run) { return run.page_count == 0; });
}

ums::Task<bool> Restore::make_files() {
    for (std::size_t i = 0; i < parts_.sources.size(); ++i) {
        const bool is_made = co_await parts_.empty(*parts_.sources[i].restored, 1, redo_.at(i).page_count());
        if (!is_made) co_return false;
    }
    co_return true;
}

// --- pages as they were backed up ---

ums::Task<bool> Restore::write_pages(std::vector<PageRun> runs) {
    next_ = 0;
    ums::TaskGroup writers;
    parts_.spawn_tasks(writers, "Restore", [&] { return write_some(runs); });
    co_await writers.join();
    co_return !has_failed_ && !parts_.context.run.is_stopping();
}

ums::Task<void> Restore::write_some(std::span<const PageRun> runs) {
    PageTransfers transfers = parts_.make_transfers();
    while (!has_failed_ && !parts_.context.run.is_stopping()) {
        const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
        if (number >= runs.size()) break;
        std::byte* const buffer = co_await parts_.buffers.acquire();
        const bool is_written = co_await write_run(runs[number], transfers, buffer);
        parts_.buffers.release(buffer);
        if (!is_written) has_failed_ = true;
        co_await ums::Scheduler::current().yield_if_due();
    }
}

// Every version of page 0 identifies the file.
ums::Task<bool> Restore::write_run(const PageRun& run, PageTransfers& transfers, std::byte* buffer) {
    const std::size_t source = source_of(run.file_id);
    const LogRedo& log = redo_.at(source);
    std::vector<PageLedger::Entry> entries;
    const bool is_read = co_await transfers.read(parts_.stripe(run.stripe), run.position, run.page_count, buffer, entries);
    if (!is_read) co_return false;
    const std::uint32_t first = run.first_page;
    if (first >= log.page_count()) co_return true;
    entries.resize(std::min<std::size_t>(entries.size(), log.page_count() - first));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (log.is_cut_off(first + static_cast<std::uint32_t>(i), entries[i].lsn)) entries[i] = {};
    }
    if (entries.empty()) co_return true;
    pages_written_ += entries.size();
    const bool is_written = co_await transfers.write(*parts_.sources[source].restored, first, entries, buffer);
    co_return is_written;
}

// --- redo ---

ums::Task<void> Restore::add_changes_of(std::size_t source, std::vector<Redone>& changes) {
    const LogRedo& log = redo_[source];
    const PageLedger& ledger = parts_.sources[source].restored->ledger;
    for (std::uint32_t page = 0; page < log.page_count(); ++page) {
        if (page % kPagesBetweenYields == 0) co_await ums::Scheduler::current().yield_if_due();
        const auto found = log.changes().find(page);
        if (found == log.changes().end()) continue;
        const LogRedo::Change& change = found->second;
        const PageLedger::Entry restored = ledger[page];
        if (change.lsn <= restored.lsn && restored.unknown == 0) continue;
        ++result_.pages_redone;
        const bool follows = !changes.empty() && changes.back().source == source &&
                             changes.back().first_page + changes.back().entries.size() == page &&
                             changes.back().entries.size() < parts_.block_pages;
        if (!follows) changes.push_back({source, page, {}});
        PageLedger::Entry entry;
        entry.version = change.version & kVersionMax;
        entry.lsn = change.lsn;
        changes.back().entries.push_back(entry);
    }
}

ums::Task<bool> Restore::redo() {
    std::vector<Redone> changes;
    for (std::size_t i = 0; i < parts_.sources.size(); ++i) co_await add_changes_of(i, changes);
    next_ = 0;
    ums::TaskGroup writers;
    parts_.spawn_tasks(writers, "Restore", [&] { return redo_some(changes); });
    co_await writers.join();
    co_return !has_failed_ && !parts_.context.run.is_stopping();
}

ums::Task<void> Restore::redo_some(std::span<const Redone> changes) {
    PageTransfers transfers = parts_.make_transfers();
    while (!has_failed_ && !parts_.context.run.is_stopping()) {
        const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
        if (number >= changes.size()) break;
        const Redone& change = changes[number];
        std::byte* const buffer = co_await parts_.buffers.acquire();
        const bool is_written =
            co_await transfers.write(*parts_.sources[change.source].restored, change.first_page, change.entries, buffer);
        parts_.buffers.release(buffer);
        if (!is_written) has_failed_ = true;
    }
}

ums::Task<bool> Restore::sync() {
    for (const BackupSource& source : parts_.sources) {
        const bool is_synced = co_await parts_.sync(source.restored->file);
        if (!is_synced) co_return false;
    }
    co_return true;
}

// --- comparison ---

ums::Task<bool> Restore::compare() {
    const WorkClock clock(parts_.context.journal.clock());
    std::vector<ReadBackRange> ranges;
    for (std::size_t i = 0; i < parts_.sources.size(); ++i) {
        co_await compare_sums(i);
        add_whole_file(ranges, *parts_.sources[i].restored, parts_.block_pages);
        co_await parts_.drop_cache(parts_.sources[i].restored->file);
    }
    PageReadBack read_back(parts_, std::move(ranges));
    const bool is_read = co_await read_back.run();
    if (is_read) clock.add_to(result_.compared, read_back.page_count(), 0);
    co_return is_read;
}

// Compares the versions that the restore has given the pages with those that the run had given them at that place in its log.
ums::Task<void> Restore::compare_sums(std::size_t source) {
    const BackupSource& backed_up = parts_.sources[source];
    const DataFile& restored = *backed_up.restored;
    const PageSums& sums = sets_.back().sums;
    const PageSums::File expected = sums.file(backed_up.data->file.id());
    const std::uint32_t pages = restored.file.pages();
    bool is_known = cuts_[source] <= backed_up.data->file.shrunk_count - base_of_log().shrunk.at(source);
    std::vector<RegionSum> found(expected.regions.size());
    for (std::uint32_t page = 0; page < pages && is_known; ++page) {
        if (page % kPagesBetweenYields == 0) co_await ums::Scheduler::current().yield_if_due();
        const PageLedger::Entry entry = restored.ledger[page];
        is_known = entry.unknown == 0;
        if (page < expected.page_count) add_to_region(found[page / sums.region_pages()], sums.region_pages(), page, entry.version);
    }
    if (!is_known) {
        parts_.context.journal.info(
            fmt::format("{}: not compared as a whole, because nothing is promised for some of its pages. Every other page is compared.",
                        restored.file.path()));
        co_return;
    }
    if (expected.page_count == pages && expected.regions == found) co_return;
    const auto [wrong, right] = std::mismatch(expected.regions.begin(), expected.regions.end(), found.begin());
    report_difference(source, static_cast<std::uint32_t>((wrong - expected.regions.begin()) * sums.region_pages()));
}

void Restore::report_difference(std::size_t source, std::uint32_t first) {
    const BackupSource& backed_up = parts_.sources[source];
    DataFile& restored = *backed_up.restored;
    const PageSums& sums = sets_.back().sums;
    const std::uint32_t expected_pages = sums.file(backed_up.data->file.id()).page_count;
    const std::uint32_t pages = restored.file.pages();
    Finding finding;
    finding.kind = FindingKind::wal_violation;
    finding.place.file_id = restored.file.id();
    finding.place.path = restored.file.path();
    finding.place.page_id = first;
    finding.place.offset_bytes = std::uint64_t{first} * kPageBytes;
    finding.place.size_bytes = std::uint64_t{sums.region_pages()} * kPageBytes;
    finding.expected = {.lsn = sets_.back().last_lsn};
    finding.description =
        expected_pages != pages
            ? fmt::format("The restored file has {} pages; {} had {} at the end of the backup.", pages, backed_up.data->file.path(),
                          expected_pages)
            : fmt::format("The restored file does not hold what {} held at the end of the backup: changes are missing from page {} on.",
                          backed_up.data->file.path(), first);
    finding.reasoning = {"The versions of the pages after the restore were summed up, and compared with the sums at the end of the backup.",
                         "Each page and each block of the log that the restore used was as it had been written."};
    restored.file.report(std::move(finding));
}

}  // namespace sim
