// Where a run notes what the storage has acknowledged, until a keeper collects it in batches. Must not slow the run down: a few dozen
// instructions for each page. Bounded: what finds no room is not promised, which is safe, but what takes a promise back always finds room.
// Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "sim/promises/promise_record.hpp"
#include "ums/base/spinlock.hpp"

namespace sim {

class PromiseBook {
public:
    enum class Counting : std::uint8_t {
        at_once,       // a write is durable when it is acknowledged
        after_a_sync,  // once a sync that began after it is acknowledged
        never,
    };
    struct BookedFile {
        std::uint32_t id = 0;
        bool is_log = false;
        Counting counting = Counting::at_once;
    };

    // `pages_max`: pages waiting to be collected, or for a sync; 16 bytes each.
    explicit PromiseBook(std::span<const BookedFile> files, std::size_t pages_max = std::size_t{1} << 18);

    // A write has been acknowledged. Call it under the page's latch.
    void page_written(const PromisedPage& page);
    // A sync of the file is about to be requested, or was acknowledged. One at a time for each file.
    void sync_begins(std::uint32_t file_id);
    void sync_done(std::uint32_t file_id);
    // The log is hardened this far. Ascending.
    void hardened(std::uint64_t sequence, std::uint64_t lsn);
    // The end of a checkpoint that began at `begin_lsn` is hardened.
    void checkpoint_done(std::uint64_t begin_lsn);
    // The file is about to be cut, and the cut is hardened in the log at `lsn`. Nothing writes to the file meanwhile.
    void cut(std::uint32_t file_id, std::uint32_t pages, std::uint64_t lsn);
    // The file now has this many pages, durably.
    void grown(std::uint32_t file_id, std::uint32_t pages);
    // A write of the page failed permanently.
    void void_page(std::uint32_t file_id, std::uint32_t page);

    // What has been recorded since the last call, as the next batch of its section, without run and section, which the caller knows. If
    // there is nothing new, it has no pages and no controls, and the same figures.
    [[nodiscard]] PromiseBatch take_batch();
    // Whether there is anything to collect.
    [[nodiscard]] bool has_news() const;
    // Pages for which there was no room.
    [[nodiscard]] std::uint64_t dropped_pages() const { return dropped_pages_.load(std::memory_order_relaxed); }

private:
    struct File {
        bool is_log = false;
        Counting counting = Counting::never;
        std::vector<PromisedPage> unsynced;  // written since the last sync began
        std::vector<PromisedPage> in_sync;   // written before it
        bool is_cut = false;                 // controls waiting to be collected
        bool is_sized = false;
        bool is_void = false;
        std::uint64_t least_pages = 0;
        std::uint64_t cut_lsn = 0;
        std::uint64_t pages = 0;
        std::set<std::uint32_t> void_pages;
    };

    [[nodiscard]] bool has_room() const { return waiting_ < pages_max_; }
    void erase_pages(std::vector<PromisedPage>& pages, std::uint32_t file_id, std::uint64_t first_page, std::uint64_t end_page);
    void erase_pages(std::uint32_t file_id, File& file, std::uint64_t first_page, std::uint64_t end_page);
    // False if some are left for the next batch.
    bool take_controls(PromiseBatch& batch);

    const std::size_t pages_max_;
    std::atomic<std::uint64_t> dropped_pages_{0};
    mutable ums::Spinlock lock_;  // guards what follows
    std::map<std::uint32_t, File> files_;
    std::vector<PromisedPage> promised_;
    std::size_t waiting_ = 0;  // pages in all lists
    bool is_log_promised_ = true;
    bool has_news_ = false;
    std::uint64_t hardened_sequence_ = 0;
    std::uint64_t hardened_lsn_ = 0;
    std::uint64_t checkpoint_lsn_ = 0;
};

}  // namespace sim
