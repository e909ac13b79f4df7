#include "sim/run/phases.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sim/files/io_retry.hpp"
#include "sim/users/bulk_writer.hpp"

namespace sim {

namespace {

// 1 MB requests, enough of them outstanding to keep any storage busy.
constexpr std::uint32_t kRangePages = 128;
constexpr std::uint32_t kTasksPerFile = 16;

}  // namespace

void WholeFileWork::begin(std::uint64_t total_pages) {
    done_pages_.store(0, std::memory_order_relaxed);
    total_pages_.store(total_pages, std::memory_order_relaxed);
}

double WholeFileWork::done_fraction() const {
    const auto total = static_cast<double>(total_pages_.load(std::memory_order_relaxed));
    return total == 0 ? 0.0 : std::min(1.0, static_cast<double>(done_pages_.load(std::memory_order_relaxed)) / total);
}

// As many as the pool has memory for, over all files, leaving half of it to others.
std::uint32_t WholeFileWork::tasks_per_file(std::uint32_t pages_per_task) const {
    const std::uint64_t pool_pages = context_.buffers.pool().slots().count();
    const std::uint64_t fit = pool_pages / 2 / pages_per_task / context_.data_files.size();
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fit, 1, kTasksPerFile));
}

ums::Task<void> WholeFileWork::initial_update(WorkCounters& counters, std::uint64_t seed) {
    std::vector<std::unique_ptr<FileProgress>> files;
    std::uint64_t total_pages = 0;
    for (const auto& data : context_.data_files) {
        if (data->file.options().sparse || data->file.options().is_tempdb) continue;
        files.push_back(std::make_unique<FileProgress>());
        files.back()->data = data.get();
        total_pages += data->file.pages();
    }
    begin(total_pages);
    ums::TaskGroup tasks;
    std::uint32_t cpu = 0;
    for (std::uint32_t i = 0; i < tasks_per_file(2 * kRangePages); ++i) {
        for (const auto& file : files) {
            seed = ums::mix64(seed);
            context_.schedulers[cpu++ % context_.schedulers.size()].spawn(tasks, "Initial Update", update_ranges(*file, counters, seed));
        }
    }
    co_await tasks.join();
}

// Writes a range when the next one has been made: the log is hardened by then, and the last range of each task is left to the checkpoint.
ums::Task<void> WholeFileWork::update_ranges(FileProgress& progress, WorkCounters& counters, std::uint64_t seed) {
    BulkWriter bulk(context_, counters, seed);
    const std::uint32_t pages = progress.data->file.pages();
    bool has_previous = false;
    std::uint32_t previous = 0;
    while (!context_.run.is_stopping()) {
        const std::optional<PageRanges::Range> range = progress.ranges.take(kRangePages, pages);
        if (!range) break;
        const auto [first, count] = *range;
        co_await bulk.update(*progress.data, first, count);
        if (has_previous) {
            co_await bulk.write(*progress.data, previous, kRangePages);
            // Empties the pool so that the main run reads from the storage; the memory is kept, because reused memory is faster than new
            // memory.
            for (std::uint32_t i = 0; i < kRangePages; ++i) context_.buffers.pool().evict({progress.data->file.id(), previous + i});
        }
        has_previous = true;
        previous = first;
        done_pages_.fetch_add(count, std::memory_order_relaxed);
    }
    WorkCounters::add(counters.cycles, 1);
}

ums::Task<void> WholeFileWork::final_audit(WorkCounters& counters) {
    co_await empty_pool();
    std::vector<std::unique_ptr<FileProgress>> files;
    std::uint64_t total_pages = 0;
    for (const auto& data : context_.data_files) {
        files.push_back(std::make_unique<FileProgress>());
        files.back()->data = data.get();
        total_pages += data->file.pages();
    }
    begin(total_pages);
    ums::TaskGroup tasks;
    std::uint32_t cpu = 0;
    for (std::uint32_t i = 0; i < tasks_per_file(kRangePages); ++i) {
        for (const auto& file : files) {
            context_.schedulers[cpu++ % context_.schedulers.size()].spawn(tasks, "Final Audit", audit_ranges(*file, counters));
        }
    }
    co_await tasks.join();
}

ums::Task<void> WholeFileWork::audit_ranges(FileProgress& progress, WorkCounters& counters) {
    RangeReader reader = context_.make_reader();
    DataFile& data = *progress.data;
    const std::uint32_t pages = data.file.pages();
    std::uint64_t hole_end_bytes = 0;
    while (!context_.run.is_stopping()) {
        const std::optional<PageRanges::Range> range = progress.ranges.take(kRangePages, pages);
        if (!range) break;
        const auto [first, count] = *range;
        const bool is_hole = co_await is_untouched_hole(data, first, count, hole_end_bytes);
        if (!is_hole) {
            const std::uint32_t read_count = co_await reader.read(data, first, count, {.keep = false});
            WorkCounters::add(counters.pages_read, read_count);
        }
        done_pages_.fetch_add(count, std::memory_order_relaxed);
        co_await ums::Scheduler::current().yield_if_due();
    }
    WorkCounters::add(counters.cycles, 1);
}

// Nothing was ever written there, and the file system says so, too: nothing to read in a file that is mostly holes. `hole_end_bytes`: as
// for SimFile::is_hole().
ums::Task<bool> WholeFileWork::is_untouched_hole(DataFile& data, std::uint32_t first_page, std::uint32_t count,
                                                 std::uint64_t& hole_end_bytes) {
    if (!data.ledger.is_untouched(first_page, count)) co_return false;
    if (data.file.options().is_tempdb) co_return true;
    if (!data.file.options().sparse) co_return false;
    const bool is_hole =
        co_await data.file.is_hole(std::uint64_t{first_page} * kPageBytes, std::uint64_t{count} * kPageBytes, hole_end_bytes);
    co_return is_hole;
}

// Empties the pool so that the audit reads everything from the storage.
ums::Task<void> WholeFileWork::empty_pool() {
    for (const auto& data : context_.data_files) {
        co_await data->file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
        const std::uint64_t dirty_pages = co_await context_.buffers.discard_from(*data, 0);
        data->file.local_counters().pages_cleaned.add(dirty_pages);
        co_await sync_and_drop_cache(data->file, context_.run, context_.journal);
        data->file.resize_latch().release_exclusive();
    }
}

}  // namespace sim
