// Writes dirty pages: looks for adjacent dirty pages forward and backward and writes them with one gather write, as SQL Server's checkpoint
// and lazy writer do. A page is written only after the log is hardened up to its LSN (asserted).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/buffer/buffer_manager.hpp"
#include "sim/log/log_manager.hpp"
#include "sim/promises/promise_book.hpp"

namespace sim {

struct PageWriterSettings {
    std::uint64_t run_id = 0;
    std::uint32_t gather_pages_max = kGatherPagesMax;
    bool use_gather = true;      // false: one request for each page
    bool merge_buffers = false;  // pages that are adjacent in memory form one segment
    OnStop on_stop = OnStop::abandon;
    PromiseBook* promises = nullptr;  // where acknowledged writes are recorded
};

// Owned by one task; reuses its vectors from call to call.
class PageWriter {
public:
    // `log`: null if changes are not logged (a measurement without users); every LSN is then 0 (asserted).
    PageWriter(const PageWriterSettings& settings, BufferPool& pool, LogManager* log, RunState& run, Journal& journal)
        : settings_(settings), pool_(pool), log_(log), run_(run), journal_(journal) {}

    struct Written {
        std::uint32_t pages = 0;     // written and acknowledged
        std::uint32_t end_page = 0;  // after the last page of the run
        bool was_busy = false;       // another task holds the page: nothing was done
        bool was_abandoned = false;  // some of it was not posted; pages are still dirty if the run continues
    };

    // Writes the page and its dirty neighbors, if it is in memory and dirty. `wait`: for its latch; otherwise gives up at once. Hold no
    // latch.
    ums::Task<Written> write_around(DataFile& data, std::uint32_t page, bool wait);

private:
    ums::Task<Frame*> latch_anchor(PageKey key, bool wait, bool& was_busy);
    Frame* latch_neighbour(PageKey key);
    void gather_neighbours(DataFile& data, std::uint32_t page);
    ums::Task<void> write_gathered(DataFile& data);
    ums::Task<bool> harden_log();
    [[nodiscard]] bool is_hardened(std::uint64_t lsn) const { return log_ != nullptr ? log_->is_hardened(lsn) : lsn == 0; }
    ums::Task<bool> copy_to_snapshot(DataFile& data);
    void give_up();
    void clean(Frame& frame);
    void abandon_rest();
    ums::Task<void> make_images(DataFile& data);
    ums::Task<void> transfer(DataFile& data);
    ums::Task<bool> write_one_by_one(DataFile& data, OnStop on_stop);
    ums::Task<void> write_one(DataFile& data, std::size_t index, OnStop on_stop, bool& has_reported);
    void acknowledge(DataFile& data, std::size_t index);
    void release_all();

    const PageWriterSettings settings_;
    BufferPool& pool_;
    LogManager* const log_;
    RunState& run_;
    Journal& journal_;
    std::vector<Frame*> run_frames_;  // ascending, pinned, held UP
    std::vector<Frame*> before_;
    std::vector<std::uint32_t> checksums_;
    std::uint32_t acknowledged_ = 0;
    std::uint32_t cleaned_ = 0;  // no longer dirty
    bool was_abandoned_ = false;
    std::vector<ums::IoSegment> segments_;
};

}  // namespace sim
