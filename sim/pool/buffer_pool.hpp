// Which pages are in memory: a hash table of frames, and the memory behind them. Shared by all schedulers; every call is short and none
// waits, except for memory (slots()).
//
// Pinning keeps a frame in the table; it is not a latch. To use the page, a task takes the frame's latch after pinning, and checks that the
// frame is still in the table: if it has been discarded meanwhile, the task tries again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/pool/frame.hpp"
#include "sim/pool/slot_allocator.hpp"
#include "ums/base/spinlock.hpp"

namespace sim {

class BufferPool {
public:
    // `size_bytes` of page memory; `tasks_max`: how many tasks may hold a pin on a discarded frame.
    BufferPool(std::uint64_t size_bytes, std::uint64_t tasks_max);

    // The pinned frame of the page, or null.
    [[nodiscard]] Frame* find(PageKey key);

    // The pinned frame of the page. `inserted`: it is new, latched EX by the caller, which must give it a slot or discard() it.
    [[nodiscard]] Frame& find_or_insert(PageKey key, bool& inserted);

    void unpin(Frame& frame);

    // Removes the page from the pool. The caller has pinned it and holds it EX; its slot is released. Tasks that wait for the latch find it
    // gone.
    void discard(Frame& frame);

    [[nodiscard]] std::uint32_t frame_count() const { return static_cast<std::uint32_t>(frame_count_); }
    enum class Sweep { nothing, spared, dirty, evicted };
    // Advances the clock hand, which all tasks that need memory share, past one frame. Evicts its page if it is unused, clean, and was not
    // referenced since the hand last passed. `key` is set for dirty.
    Sweep sweep(PageKey& key);

    // Evicts the page if it is in memory, clean and unused.
    void evict(PageKey key);

    // Appends the keys of all dirty pages of frames [begin, end), packed.
    void collect_dirty(std::uint32_t begin, std::uint32_t end, std::vector<std::uint64_t>& keys);

    // Removes every page of the file from `first_page` on from frames [begin, end), dirty or not. The caller keeps all others off the file.
    // Returns how many were dirty.
    std::uint64_t discard_from(std::uint32_t file_id, std::uint32_t first_page, std::uint32_t begin, std::uint32_t end);

    [[nodiscard]] SlotAllocator& slots() { return slots_; }
    [[nodiscard]] const SlotAllocator& slots() const { return slots_; }
    [[nodiscard]] std::byte* data(const Frame& frame) const { return slots_.data(frame.slot); }

private:
    static constexpr std::uint32_t kPartitions = 256;
    static constexpr std::uint32_t kNone = 0xffff'ffff;

    struct alignas(64) Partition {
        ums::Spinlock lock;
    };

    [[nodiscard]] std::uint32_t bucket_of(PageKey key) const;
    [[nodiscard]] ums::Spinlock& lock_of(std::uint32_t bucket) { return partitions_[bucket % kPartitions].lock; }
    [[nodiscard]] Frame* lookup(std::uint32_t bucket, PageKey key);
    void unlink(std::uint32_t bucket, Frame& frame);
    [[nodiscard]] std::uint32_t number_of(const Frame& frame) const { return static_cast<std::uint32_t>(&frame - frames_.get()); }
    std::uint32_t take_free_frame();
    void release_free_frame(Frame& frame);
    void release_evicted(Frame& frame, Slot slot);

    SlotAllocator slots_;
    std::uint64_t frame_count_;
    std::unique_ptr<Frame[]> frames_;
    std::vector<std::uint32_t> buckets_;  // first frame; guarded by the partition of the bucket
    std::unique_ptr<Partition[]> partitions_;
    std::atomic<std::uint64_t> hand_{0};  // frames that the clock hand has passed
    ums::Spinlock free_lock_;
    std::uint32_t free_ = kNone;  // chain of unused frames; guarded by free_lock_
};

}  // namespace sim
