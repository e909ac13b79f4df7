// What the storage has acknowledged, page by page: the only source of what a read must return. The disk is never asked what to expect, so
// an old but self-consistent page cannot pass. 16 bytes for each page.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include "ums/base/assert.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

inline constexpr std::uint32_t kVersionMax = (1U << 29) - 1;
// When a page has come this far, its run ends cleanly: what is under way still takes some.
inline constexpr std::uint32_t kVersionEnd = kVersionMax - (1U << 20);

class PageLedger {
public:
    struct Entry {
        std::uint64_t lsn = 0;
        std::uint32_t checksum = 0;
        std::uint32_t version : 29 = 0;     // 0: never written, must read as zeros
        std::uint32_t first_write : 1 = 0;  // no earlier version was acknowledged: before this one there were zeros
        std::uint32_t unknown : 1 = 0;      // a write failed or a fault was found: nothing is promised until the next write
        std::uint32_t read_back : 1 = 0;    // this version has been read back correctly at least once
    };

    // Room for `pages_max` pages of one file; memory is used as pages are written.
    explicit PageLedger(std::uint64_t pages_max);

    // An entry is guarded by the latch of its page: a task that transfers the page to or from the disk may use it. Others may look, but may
    // see half of a change, unless no write of the page was in flight (WriteWatch).
    [[nodiscard]] Entry operator[](std::uint32_t page) const {
        const Words& words = words_of(page);
        return std::bit_cast<Entry>(std::array{words[0].load(std::memory_order_acquire), words[1].load(std::memory_order_acquire)});
    }

    // A hint before a transfer that the entry will be needed after it. Costs nothing, and saves waiting for memory.
    void prefetch(std::uint32_t page) const { __builtin_prefetch(&words_of(page)); }

    // Whether no page of [first_page, first_page + count) was ever acknowledged or marked. Quick: checks ranges of 128 pages, and may
    // return false because of a neighbor in the same range. For the audit of files that are mostly holes.
    [[nodiscard]] bool is_untouched(std::uint32_t first_page, std::uint32_t count) const;

    // The write of this image has been acknowledged: of a newer version, or of the same one if the page had become unknown (a repair).
    void acknowledge(std::uint32_t page, std::uint32_t version, std::uint64_t lsn, std::uint32_t checksum);
    // The page as an earlier incarnation of the run left it. `is_unknown`: nothing is promised about it until it is written, with at least
    // this version.
    void restore(std::uint32_t page, std::uint32_t version, std::uint64_t lsn, std::uint32_t checksum, bool is_unknown);
    // Of a page that was never written there is no version to record, and its entry takes no memory.
    void mark_read_back(std::uint32_t page) {
        Entry entry = (*this)[page];
        if (entry.version == 0) return;
        entry.read_back = 1;
        store(page, entry);
    }
    // `version`: of the image whose write failed, or 0 if no write did. The log has that version, so it is not given again.
    void mark_unknown(std::uint32_t page, std::uint32_t version = 0) {
        Entry entry = (*this)[page];
        if (version > entry.version) {
            UMS_ASSERT(version <= kVersionMax);
            entry.first_write = is_unwritten(entry) ? 1 : 0;
            entry.version = version & kVersionMax;
            entry.read_back = 0;
        }
        entry.unknown = 1;
        store(page, entry);
        touch(page);
    }
    // The file no longer has the page, or has a new one: zeros.
    void forget(std::uint32_t page) { store(page, Entry{}); }
    // The same for all pages from this one on whose last change is before this LSN; quick if none was touched, and takes no memory for
    // pages that were never written.
    void forget_from(std::uint32_t first_page, std::uint64_t before_lsn = UINT64_MAX) { forget_range(first_page, pages_max_, before_lsn); }
    // The same for the pages of [first_page, end_page); those behind the last one are ignored.
    void forget_range(std::uint64_t first_page, std::uint64_t end_page, std::uint64_t before_lsn = UINT64_MAX);

    [[nodiscard]] std::uint64_t pages_max() const { return pages_max_; }

private:
    static constexpr std::uint32_t kRangePages = 128;

    // No write was acknowledged: there was none, or each failed for good, which leaves neither LSN nor checksum.
    [[nodiscard]] static bool is_unwritten(const Entry& entry) {
        return entry.version == 0 || (entry.first_write != 0 && entry.lsn == 0 && entry.checksum == 0);
    }
    void touch(std::uint32_t page) {
        std::atomic<bool>& touched = touched_[page / kRangePages];
        if (!touched.load(std::memory_order_relaxed)) touched.store(true, std::memory_order_relaxed);
    }
    // An entry, in words that can be read while they change. Whoever sees a change also sees that its write has begun (WriteWatch).
    using Words = std::array<std::atomic<std::uint64_t>, 2>;
    [[nodiscard]] Words& words_of(std::uint32_t page) const {
        UMS_ASSERT(page < pages_max_);
        return reinterpret_cast<Words*>(memory_.data())[page];
    }
    void store(std::uint32_t page, const Entry& entry) {
        const auto values = std::bit_cast<std::array<std::uint64_t, 2>>(entry);
        Words& words = words_of(page);
        words[0].store(values[0], std::memory_order_release);
        words[1].store(values[1], std::memory_order_release);
    }

    std::uint64_t pages_max_;
    ums::MemoryRegion memory_;
    std::unique_ptr<std::atomic<bool>[]> touched_;  // by range; pages of one range have different latches
};

static_assert(sizeof(PageLedger::Entry) == 16);

}  // namespace sim
