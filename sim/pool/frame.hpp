// One page in the buffer pool.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/pool/slot_allocator.hpp"
#include "ums/sched/latch.hpp"

namespace sim {

struct PageKey {
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;

    [[nodiscard]] std::uint64_t packed() const { return std::uint64_t{file_id} << 32 | page_id; }
    [[nodiscard]] static PageKey unpack(std::uint64_t packed) {
        return {static_cast<std::uint32_t>(packed >> 32), static_cast<std::uint32_t>(packed)};
    }
    friend bool operator==(PageKey, PageKey) = default;
};

inline constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

struct Frame {
    // A pinned frame keeps its page; the latch governs its use (ums/sched/latch.hpp): SH to look at the page, UP to transfer it from or to
    // the disk, EX to change it. So no read of a page ever overlaps a write of it.
    ums::Latch latch;
    std::atomic<std::uint32_t> pins{0};
    std::atomic<bool> dirty{false};       // set under EX, cleared under UP or EX
    std::atomic<bool> referenced{false};  // since the clock hand last passed
    std::atomic<bool> in_io{false};       // being read in: waits for the latch are PAGEIOLATCH

    // The packed key while the frame is in the table, otherwise kNoPage. Changed under the table's partition lock; read without it, it is
    // only a hint.
    std::atomic<std::uint64_t> page{kNoPage};
    [[nodiscard]] bool in_table() const { return page.load(std::memory_order_relaxed) != kNoPage; }

    // Guarded by the table's partition lock; `key` is stable while pinned, even after a discard.
    PageKey key;
    std::uint32_t next = 0;

    // Guarded by the latch.
    Slot slot = kNoSlot;
    std::uint32_t version = 0;  // of the page in memory
    std::uint64_t lsn = 0;      // of its last change
};

}  // namespace sim
