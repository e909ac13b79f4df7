// What the storage has acknowledged, page by page: the only source of what a read must return. The disk is never asked what to expect, so
// an old but self-consistent page cannot pass. 16 bytes a page.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "ums/base/assert.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

class PageLedger {
public:
    struct Entry {
        std::uint64_t lsn = 0;
        std::uint32_t checksum = 0;
        std::uint32_t version : 30 = 0;   // 0: never written, must read as zeros
        std::uint32_t unknown : 1 = 0;    // a write failed or a fault was found: nothing is promised until the next write
        std::uint32_t read_back : 1 = 0;  // this version has been read back correctly at least once
    };

    // Room for `pages_max` pages of one file; memory is used as pages are written.
    explicit PageLedger(std::uint64_t pages_max);

    // An entry is guarded by the latch of its page: whoever transfers the page to or from the disk may use it.
    [[nodiscard]] const Entry& operator[](std::uint32_t page) const {
        UMS_ASSERT(page < pages_max_);
        return entries()[page];
    }

    // Said before a transfer: the entry is looked at after it. Costs nothing, and saves waiting for memory.
    void prefetch(std::uint32_t page) const { __builtin_prefetch(entries() + page); }

    // No page of [first_page, first_page + count) was ever acknowledged or marked. Quick: looks at ranges of 128 pages, and may say no
    // where a neighbour in the same range was. For the audit of files that are mostly holes.
    [[nodiscard]] bool is_untouched(std::uint32_t first_page, std::uint32_t count) const;

    // The write of this image has been acknowledged.
    void acknowledge(std::uint32_t page, std::uint32_t version, std::uint64_t lsn, std::uint32_t checksum);
    void mark_read_back(std::uint32_t page) { at(page).read_back = 1; }
    void mark_unknown(std::uint32_t page) {
        at(page).unknown = 1;
        touch(page);
    }
    // The file no longer has the page, or has it anew: zeros.
    void forget(std::uint32_t page) { at(page) = Entry{}; }

    [[nodiscard]] std::uint64_t pages_max() const { return pages_max_; }

private:
    static constexpr std::uint32_t kRangePages = 128;

    void touch(std::uint32_t page) {
        std::atomic<bool>& touched = touched_[page / kRangePages];
        if (!touched.load(std::memory_order_relaxed)) touched.store(true, std::memory_order_relaxed);
    }
    [[nodiscard]] Entry* entries() const { return reinterpret_cast<Entry*>(memory_.data()); }
    [[nodiscard]] Entry& at(std::uint32_t page) {
        UMS_ASSERT(page < pages_max_);
        return entries()[page];
    }

    std::uint64_t pages_max_;
    ums::MemoryRegion memory_;
    std::unique_ptr<std::atomic<bool>[]> touched_;  // by ranges; pages of one range have different latches
};

static_assert(sizeof(PageLedger::Entry) == 16);

inline constexpr std::uint32_t kVersionMax = (1U << 30) - 1;

}  // namespace sim
