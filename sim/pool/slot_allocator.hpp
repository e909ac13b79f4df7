// The memory of the buffer pool: page-sized slots, handed out in adjacent runs where possible, because a device handles one long segment
// faster than many short ones. Slots come in groups of 64 (512 KB: one read-ahead); a run lies within a group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/limits.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/spinlock.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/semaphore.hpp"
#include "ums/sched/task.hpp"

namespace sim {

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = 0xffff'ffff;

// Any thread.
class SlotAllocator {
public:
    // `count` slots of kPageBytes; rounded down to whole groups, at least one group.
    explicit SlotAllocator(std::uint64_t count);

    // Waits until `count` slots are available together, and appends them to `slots` in ascending runs. A task that has to wait sets
    // wanted(). Hold no latch.
    ums::Task<void> acquire(std::uint32_t count, std::vector<Slot>& slots);
    // The same without waiting. False: no slot was taken.
    [[nodiscard]] bool try_acquire(std::uint32_t count, std::vector<Slot>& slots);
    void release(Slot slot);
    void release(const std::vector<Slot>& slots);

    [[nodiscard]] const ums::MemoryRegion& memory() const { return memory_; }
    [[nodiscard]] std::byte* data(Slot slot) const { return memory_.data() + std::size_t{slot} * kPageBytes; }
    [[nodiscard]] std::uint64_t count() const { return groups_.size() * kGroupSlots; }
    [[nodiscard]] std::uint64_t free_count() { return units_.available(); }
    // After a reset of wanted() it misses no task that has set it to wait.
    [[nodiscard]] bool has_waiters() { return units_.has_waiters(); }
    // Whoever frees slots waits for it, and resets it.
    [[nodiscard]] ums::Event& wanted() { return wanted_; }

private:
    static constexpr std::uint32_t kGroupSlots = 64;

    void take(std::uint32_t count, std::vector<Slot>& slots);
    void list(std::uint32_t group);

    ums::MemoryRegion memory_;
    ums::Semaphore units_;
    ums::Event wanted_;
    ums::Spinlock lock_;                  // guards everything below
    std::vector<std::uint64_t> groups_;   // one bit for each slot: free
    std::vector<std::uint32_t> whole_;    // groups that were entirely free when listed
    std::vector<std::uint32_t> partial_;  // groups that had free slots when listed
    std::vector<std::uint8_t> listed_;    // bit 0: in partial_, bit 1: in whole_
};

}  // namespace sim
