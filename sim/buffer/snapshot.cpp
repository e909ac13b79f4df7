#include "sim/buffer/snapshot.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

Snapshot::Snapshot(const Settings& settings, DataFile& source, DataFile& replica, BufferManager& buffers, RunState& run, Journal& journal,
                   WorkCounters& counters)
    : settings_(settings),
      source_(source),
      replica_(replica),
      buffers_(buffers),
      run_(run),
      journal_(journal),
      counters_(counters),
      copied_(replica.ledger.pages_max() * sizeof(std::atomic<bool>), ums::MemoryKind::plain) {}

// No task writes to the source while its latch is held, so all of its pages are of the same moment.
ums::Task<void> Snapshot::take() {
    co_await contents_.acquire(ums::LatchMode::exclusive, ums::WaitType::file_resize);
    co_await source_.file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    const std::error_code error = co_await empty_replica();
    if (error) {
        pages_.store(0, std::memory_order_release);  // the replica may already have been emptied, or cut
        journal_.warning(fmt::format("{}: no snapshot of {} MB could be taken there: {}.", replica_.file.path(),
                                     source_.file.size_bytes() >> 20, error.message()));
    } else {
        // The first page of the replica is its signature, so that of the source is never copied.
        for (std::uint32_t page = 0; page < source_.file.pages(); ++page) {
            if (page % kPagesBetweenYields == 0) co_await ums::Scheduler::current().yield_if_due();
            if (is_copied(page)) copied(page).store(false, std::memory_order_relaxed);
        }
        pages_.store(source_.file.pages(), std::memory_order_release);
        WorkCounters::add(counters_.cycles, 1);
    }
    source_.file.resize_latch().release_exclusive();
    contents_.release(ums::LatchMode::exclusive);
}

ums::Task<std::error_code> Snapshot::empty_replica() {
    co_await replica_.file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    std::error_code error = co_await replica_.file.resize(kPageBytes);
    if (!error) {
        static_cast<void>(co_await buffers_.forget_from(replica_, 1));
        error = co_await replica_.file.resize(source_.file.size_bytes());
    }
    replica_.file.resize_latch().release_exclusive();
    co_return error;
}

ums::Task<void> Snapshot::release() {
    co_await source_.file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    pages_.store(0, std::memory_order_release);
    source_.file.resize_latch().release_exclusive();
}

// The page after the run of pages that are, like the first one, copied or not copied.
std::uint32_t Snapshot::end_of_run(std::uint32_t first_page, std::uint32_t end_page) const {
    std::uint32_t page = first_page + 1;
    while (page < end_page && is_copied(page) == is_copied(first_page)) ++page;
    return page;
}

// --- copying ---

ums::Task<bool> Snapshot::copy_before_change(std::uint32_t first_page, std::uint32_t count, OnStop on_stop) {
    const std::uint32_t end = std::min(first_page + count, pages());
    for (std::uint32_t page = std::max(first_page, 1U); page < end;) {
        const std::uint32_t run_end = std::min(end_of_run(page, end), page + settings_.copy_pages_max);
        if (!is_copied(page)) {
            const bool is_done = co_await copy(page, run_end - page, on_stop);
            if (!is_done) co_return false;
        }
        page = run_end;
    }
    co_return true;
}

ums::Task<bool> Snapshot::copy(std::uint32_t first_page, std::uint32_t count, OnStop on_stop) {
    const ums::MemoryRegion memory(std::uint64_t{count} * kPageBytes, ums::MemoryKind::plain);
    stamp_not_read(memory.data(), std::uint64_t{count} * kPageBytes);
    const ums::IoSegment segment{memory.data(), std::uint64_t{count} * kPageBytes};
    IoRetry retry(source_.file, run_, journal_);
    const bool is_read = co_await retry.read(std::uint64_t{first_page} * kPageBytes, {&segment, 1}, ums::WaitType::pageiolatch_ex, on_stop);
    if (!is_read && !retry.has_reported()) co_return false;
    if (!is_read) {
        mark_lost(first_page, count);
        mark_copied(first_page, count);
        co_return true;
    }
    co_await verify(first_page, count, memory.data());
    co_return co_await write(first_page, count, memory.data(), on_stop);
}

ums::Task<void> Snapshot::verify(std::uint32_t first_page, std::uint32_t count, const std::byte* images) {
    PageChecker& checker = buffers_.checker();
    std::vector<ReadPage> wrong;
    for (std::uint32_t i = 0; i < count; ++i) {
        const ReadPage read{first_page + i, images + std::uint64_t{i} * kPageBytes};
        if (!checker.matches(source_, read)) wrong.push_back(read);
    }
    co_await checker.diagnose(source_, wrong);
}

// Pages that were never written stay holes. What has been written counts at once: if the run stops before the rest, that is copied later.
ums::Task<bool> Snapshot::write(std::uint32_t first_page, std::uint32_t count, std::byte* images, OnStop on_stop) {
    const std::uint64_t write_utc_us = journal_.clock().utc_us();
    const std::uint32_t end = first_page + count;
    for (std::uint32_t page = first_page; page < end;) {
        std::vector<std::uint32_t> checksums;
        std::byte* const memory = images + std::uint64_t{page - first_page} * kPageBytes;
        for (std::uint32_t next = page; next < end; ++next) {
            const PageLedger::Entry entry = source_.ledger[next];
            if (entry.version == 0 || entry.unknown != 0) break;
            checksums.push_back(make_page({settings_.run_id, replica_.file.id(), next, entry.version, entry.lsn, write_utc_us},
                                          memory + checksums.size() * kPageBytes));
        }
        if (checksums.empty()) {
            if (source_.ledger[page].unknown != 0) mark_lost(page, 1);
            mark_copied(page, 1);
            ++page;
            continue;
        }
        const auto pages = static_cast<std::uint32_t>(checksums.size());
        const ums::IoSegment segment{memory, std::uint64_t{pages} * kPageBytes};
        const WatchedWrite watched(replica_.writes, page, pages);
        IoRetry retry(replica_.file, run_, journal_);
        const bool is_written =
            co_await retry.write(std::uint64_t{page} * kPageBytes, {&segment, 1}, ums::WaitType::io_completion, on_stop);
        if (!is_written && !retry.has_reported()) co_return false;
        if (!is_written) mark_lost(page, pages);
        for (std::uint32_t i = 0; is_written && i < pages; ++i) {
            const PageLedger::Entry entry = source_.ledger[page + i];
            replica_.ledger.acknowledge(page + i, entry.version, entry.lsn, checksums[i]);
        }
        mark_copied(page, pages);
        page += pages;
    }
    co_return true;
}

void Snapshot::mark_copied(std::uint32_t first_page, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) copied(first_page + i).store(true, std::memory_order_release);
    WorkCounters::add(counters_.pages_updated, count);
}

// A page that could not be copied is not promised.
void Snapshot::mark_lost(std::uint32_t first_page, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) replica_.ledger.mark_unknown(first_page + i);
}

// --- reading ---

ums::Task<std::uint32_t> Snapshot::read(RangeReader& reader, std::uint32_t first_page, std::uint32_t count) {
    constexpr RangeReadOptions kKeepNothing{.keep = false};
    co_await contents_.acquire(ums::LatchMode::shared, ums::WaitType::file_resize);
    const std::uint32_t end = std::min(first_page + count, pages());
    std::uint32_t pages_read = 0;
    for (std::uint32_t page = first_page; page < end;) {
        const std::uint32_t run_end = end_of_run(page, end);
        if (is_copied(page)) {
            pages_read += co_await reader.read(replica_, page, run_end - page, kKeepNothing);
            page = run_end;
            continue;
        }
        pages_read += co_await reader.read(source_, page, run_end - page, kKeepNothing);
        // A page that has been changed meanwhile was copied first: the next round reads the copy.
        while (page < run_end && !is_copied(page)) ++page;
    }
    contents_.release(ums::LatchMode::shared);
    WorkCounters::add(counters_.pages_read, pages_read);
    co_return pages_read;
}

}  // namespace sim
