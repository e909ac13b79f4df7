// A copy-on-write snapshot of a data file, as DBCC CHECKDB uses one: the state of the file at one moment, kept in a sparse file that
// receives a page only before its first change after that moment, and read through it. The copies have the replica's identity, and the
// version and LSN that the source's page had, so a page that goes astray between the two files is recognized.
#pragma once

#include <atomic>
#include <cstdint>
#include <system_error>

#include "sim/buffer/page_checker.hpp"
#include "sim/buffer/range_reader.hpp"
#include "sim/journal/work_counters.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/latch.hpp"

namespace sim {

class Snapshot {
public:
    struct Settings {
        std::uint64_t run_id = 0;
        std::uint32_t copy_pages_max = kGatherPagesMax;  // in one request
    };

    // `replica` is a sparse file with a ledger that has room for all of `source`; nothing else writes to it. All references must outlive
    // the object.
    Snapshot(const Settings& settings, DataFile& source, DataFile& replica, BufferManager& buffers, RunState& run, Journal& journal,
             WorkCounters& counters);

    // Takes a snapshot of the file as it is on the disk now, starting with an empty replica. If there is no room for it, there is no
    // snapshot but a warning. Hold no latch.
    ums::Task<void> take();
    // From here on nothing is copied; the contents of the replica stay. Hold no latch.
    ums::Task<void> release();

    // Await it before pages of the source are overwritten or cut off: it copies those that are not yet in the replica. The caller holds
    // their latches (UP or EX), or the file's resize latch exclusively. False: something was not posted because of `on_stop`, and the pages
    // must stay as they are.
    ums::Task<bool> copy_before_change(std::uint32_t first_page, std::uint32_t count, OnStop on_stop);

    // Reads and verifies pages of the snapshot: copied pages from the replica, the others from the source. Returns how many pages were
    // read, 0 if there is no snapshot. Hold no latch.
    ums::Task<std::uint32_t> read(RangeReader& reader, std::uint32_t first_page, std::uint32_t count);

    // The page count of the source when the snapshot was taken; 0: there is none. Any thread.
    [[nodiscard]] std::uint32_t pages() const { return pages_.load(std::memory_order_acquire); }

private:
    // Set by the task that holds that page's latch.
    [[nodiscard]] std::atomic<bool>& copied(std::uint32_t page) const { return reinterpret_cast<std::atomic<bool>*>(copied_.data())[page]; }
    [[nodiscard]] bool is_copied(std::uint32_t page) const { return copied(page).load(std::memory_order_acquire); }
    [[nodiscard]] std::uint32_t end_of_run(std::uint32_t first_page, std::uint32_t end_page) const;
    ums::Task<bool> copy(std::uint32_t first_page, std::uint32_t count, OnStop on_stop);
    ums::Task<void> verify(std::uint32_t first_page, std::uint32_t count, const std::byte* images);
    ums::Task<bool> write(std::uint32_t first_page, std::uint32_t count, std::byte* images, OnStop on_stop);
    ums::Task<std::error_code> empty_replica();
    void mark_copied(std::uint32_t first_page, std::uint32_t count);
    void mark_lost(std::uint32_t first_page, std::uint32_t count);

    const Settings settings_;
    DataFile& source_;
    DataFile& replica_;
    BufferManager& buffers_;
    RunState& run_;
    Journal& journal_;
    WorkCounters& counters_;
    // Shared by readers: a copy that one has found stays in its place. With the next snapshot writers put others there, without frames. To
    // be taken before the latches of the files.
    ums::Latch contents_;
    std::atomic<std::uint32_t> pages_{0};
    ums::MemoryRegion copied_;  // an atomic<bool> for each page of the source; takes memory as pages are copied
};

}  // namespace sim
