#include "sim/pool/slot_allocator.hpp"

#include <algorithm>
#include <bit>
#include <coroutine>
#include <mutex>

#include "ums/base/assert.hpp"

namespace sim {

namespace {
constexpr std::uint64_t kWhole = ~std::uint64_t{0};
constexpr std::uint8_t kInPartial = 1;
constexpr std::uint8_t kInWhole = 2;

std::uint64_t group_count(std::uint64_t slots) { return std::max<std::uint64_t>(slots / 64, 1); }

// Sets the event when the task is in the queue, not before: whoever frees slots, on another CPU, would find nobody there and sleep again.
// The task resumes on this thread, so the awaiter outlives the call.
struct AnnouncedWait : ums::Semaphore::Awaiter {
    ums::Event& wanted;

    AnnouncedWait(ums::Semaphore& of_slots, std::uint64_t count, ums::Event& event)
        : Awaiter(of_slots, count, ums::WaitType::free_frame), wanted(event) {}
    bool await_suspend(std::coroutine_handle<> suspended) {
        const bool is_waiting = Awaiter::await_suspend(suspended);
        if (is_waiting) wanted.set();
        return is_waiting;
    }
};

}  // namespace

SlotAllocator::SlotAllocator(std::uint64_t count)
    : memory_(group_count(count) * kGroupSlots * kPageBytes, ums::MemoryKind::huge_pages),
      units_(group_count(count) * kGroupSlots),
      groups_(group_count(count), kWhole),
      listed_(group_count(count), 0) {
    // The lists never exceed the number of groups, so nothing is allocated later.
    whole_.reserve(groups_.size());
    partial_.reserve(groups_.size());
    for (std::size_t group = groups_.size(); group-- > 0;) list(static_cast<std::uint32_t>(group));
}

void SlotAllocator::list(std::uint32_t group) {
    const bool is_whole = groups_[group] == kWhole;
    const std::uint8_t bit = is_whole ? kInWhole : kInPartial;
    if (groups_[group] == 0 || (listed_[group] & bit) != 0) return;
    listed_[group] |= bit;
    (is_whole ? whole_ : partial_).push_back(group);
}

// The semaphore has granted the slots, so they exist. Long runs come from whole groups and short ones from broken groups, to keep groups
// whole. An entry may be stale because its group has changed since it was listed.
void SlotAllocator::take(std::uint32_t count, std::vector<Slot>& slots) {
    while (count > 0) {
        const bool from_whole = (count >= kGroupSlots / 2 && !whole_.empty()) || partial_.empty();
        std::vector<std::uint32_t>& source = from_whole ? whole_ : partial_;
        UMS_ASSERT(!source.empty());
        const std::uint32_t group = source.back();
        source.pop_back();
        listed_[group] &= static_cast<std::uint8_t>(~(from_whole ? kInWhole : kInPartial));
        std::uint64_t& free = groups_[group];
        if (from_whole && free != kWhole) {
            list(group);
            continue;
        }
        while (count > 0 && free != 0) {
            const auto index = static_cast<std::uint32_t>(std::countr_zero(free));
            free &= free - 1;
            slots.push_back(group * kGroupSlots + index);
            --count;
        }
        list(group);
    }
}

ums::Task<void> SlotAllocator::acquire(std::uint32_t count, std::vector<Slot>& slots) {
    UMS_ASSERT(count <= this->count());
    co_await AnnouncedWait(units_, count, wanted_);
    const std::lock_guard guard(lock_);
    take(count, slots);
}

bool SlotAllocator::try_acquire(std::uint32_t count, std::vector<Slot>& slots) {
    if (!units_.try_acquire(count)) return false;
    const std::lock_guard guard(lock_);
    take(count, slots);
    return true;
}

void SlotAllocator::release(Slot slot) {
    {
        const std::lock_guard guard(lock_);
        const std::uint64_t bit = std::uint64_t{1} << slot % kGroupSlots;
        UMS_ASSERT((groups_[slot / kGroupSlots] & bit) == 0);
        groups_[slot / kGroupSlots] |= bit;
        list(slot / kGroupSlots);
    }
    units_.release(1);
}

void SlotAllocator::release(const std::vector<Slot>& slots) {
    if (slots.empty()) return;
    {
        const std::lock_guard guard(lock_);
        for (const Slot slot : slots) {
            const std::uint64_t bit = std::uint64_t{1} << slot % kGroupSlots;
            UMS_ASSERT((groups_[slot / kGroupSlots] & bit) == 0);
            groups_[slot / kGroupSlots] |= bit;
            list(slot / kGroupSlots);
        }
    }
    units_.release(slots.size());
}

}  // namespace sim
