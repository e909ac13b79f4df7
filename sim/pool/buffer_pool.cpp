#include "sim/pool/buffer_pool.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/base/prng.hpp"

namespace sim {

BufferPool::BufferPool(std::uint64_t size_bytes, std::uint64_t tasks_max)
    : slots_(size_bytes / kPageBytes),
      frame_count_(slots_.count() + tasks_max),
      frames_(std::make_unique<Frame[]>(frame_count_)),
      buckets_(std::max<std::uint64_t>(std::bit_ceil(frame_count_), kPartitions), kNone),
      partitions_(std::make_unique<Partition[]>(kPartitions)) {
    for (std::uint64_t i = frame_count_; i-- > 0;) release_free_frame(frames_[i]);
}

// Neighboring pages are adjacent, sixteen in a cache line, because ranges are looked up most.
std::uint32_t BufferPool::bucket_of(PageKey key) const {
    constexpr std::uint32_t kSideBySide = 16;
    const std::uint64_t mixed = ums::mix64(key.packed() / kSideBySide) * kSideBySide + key.page_id % kSideBySide;
    return static_cast<std::uint32_t>(mixed) & static_cast<std::uint32_t>(buckets_.size() - 1);
}

std::uint32_t BufferPool::take_free_frame() {
    const std::lock_guard guard(free_lock_);
    UMS_ASSERT(free_ != kNone);  // a frame has a slot, and there are more frames than slots
    const std::uint32_t number = free_;
    free_ = frames_[number].next;
    return number;
}

void BufferPool::release_free_frame(Frame& frame) {
    const std::lock_guard guard(free_lock_);
    frame.next = free_;
    free_ = number_of(frame);
}

void BufferPool::release_evicted(Frame& frame, Slot slot) {
    release_free_frame(frame);
    if (slot != kNoSlot) slots_.release(slot);
}

Frame* BufferPool::lookup(std::uint32_t bucket, PageKey key) {
    for (std::uint32_t number = buckets_[bucket]; number != kNone; number = frames_[number].next) {
        if (frames_[number].key == key) return &frames_[number];
    }
    return nullptr;
}

void BufferPool::unlink(std::uint32_t bucket, Frame& frame) {
    std::uint32_t* link = &buckets_[bucket];
    while (*link != number_of(frame)) link = &frames_[*link].next;
    *link = frame.next;
    frame.page.store(kNoPage, std::memory_order_relaxed);
}

Frame* BufferPool::find(PageKey key) {
    const std::uint32_t bucket = bucket_of(key);
    const std::lock_guard guard(lock_of(bucket));
    Frame* frame = lookup(bucket, key);
    if (frame != nullptr) frame->pins.fetch_add(1, std::memory_order_relaxed);
    return frame;
}

Frame& BufferPool::find_or_insert(PageKey key, bool& inserted) {
    const std::uint32_t bucket = bucket_of(key);
    const std::lock_guard guard(lock_of(bucket));
    Frame* frame = lookup(bucket, key);
    inserted = frame == nullptr;
    if (inserted) {
        const std::uint32_t number = take_free_frame();
        frame = &frames_[number];
        UMS_ASSERT(frame->pins.load(std::memory_order_relaxed) == 0 && frame->slot == kNoSlot);
        frame->key = key;
        frame->page.store(key.packed(), std::memory_order_relaxed);
        frame->version = 0;
        frame->lsn = 0;
        frame->dirty.store(false, std::memory_order_relaxed);
        const bool latched = frame->latch.try_acquire(ums::LatchMode::exclusive);
        UMS_ASSERT(latched);
        frame->next = buckets_[bucket];
        buckets_[bucket] = number;
    }
    frame->pins.fetch_add(1, std::memory_order_relaxed);
    frame->referenced.store(true, std::memory_order_relaxed);
    return *frame;
}

void BufferPool::unpin(Frame& frame) {
    const std::uint32_t bucket = bucket_of(frame.key);
    bool unused = false;
    {
        const std::lock_guard guard(lock_of(bucket));
        unused = frame.pins.fetch_sub(1, std::memory_order_relaxed) == 1 && !frame.in_table();
    }
    if (unused) release_free_frame(frame);
}

void BufferPool::discard(Frame& frame) {
    const std::uint32_t bucket = bucket_of(frame.key);
    if (frame.slot != kNoSlot) slots_.release(std::exchange(frame.slot, kNoSlot));
    frame.dirty.store(false, std::memory_order_relaxed);
    const std::lock_guard guard(lock_of(bucket));
    UMS_ASSERT(frame.in_table() && frame.pins.load(std::memory_order_relaxed) > 0);
    unlink(bucket, frame);
}

BufferPool::Sweep BufferPool::sweep(PageKey& key) {
    Frame& frame = frames_[hand_.fetch_add(1, std::memory_order_relaxed) % frame_count_];
    const std::uint64_t seen = frame.page.load(std::memory_order_relaxed);
    if (seen == kNoPage) return Sweep::nothing;
    key = PageKey::unpack(seen);
    const std::uint32_t bucket = bucket_of(key);
    Slot slot = kNoSlot;
    {
        const std::lock_guard guard(lock_of(bucket));
        if (frame.page.load(std::memory_order_relaxed) != seen || frame.pins.load(std::memory_order_relaxed) != 0) return Sweep::nothing;
        if (frame.referenced.exchange(false, std::memory_order_relaxed)) return Sweep::spared;
        if (frame.dirty.load(std::memory_order_relaxed)) return Sweep::dirty;
        unlink(bucket, frame);
        slot = std::exchange(frame.slot, kNoSlot);
    }
    release_evicted(frame, slot);
    return Sweep::evicted;
}

void BufferPool::evict(PageKey key) {
    const std::uint32_t bucket = bucket_of(key);
    Frame* frame = nullptr;
    Slot slot = kNoSlot;
    {
        const std::lock_guard guard(lock_of(bucket));
        frame = lookup(bucket, key);
        const bool unused = frame != nullptr && frame->pins.load(std::memory_order_relaxed) == 0;
        if (!unused || frame->dirty.load(std::memory_order_relaxed)) return;
        unlink(bucket, *frame);
        slot = std::exchange(frame->slot, kNoSlot);
    }
    release_evicted(*frame, slot);
}

void BufferPool::collect_dirty(std::uint32_t begin, std::uint32_t end, std::vector<std::uint64_t>& keys) {
    for (std::uint32_t number = begin; number < end; ++number) {
        const Frame& frame = frames_[number];
        if (!frame.dirty.load(std::memory_order_acquire)) continue;
        const std::uint64_t page = frame.page.load(std::memory_order_relaxed);
        if (page != kNoPage) keys.push_back(page);
    }
}

std::uint64_t BufferPool::discard_from(std::uint32_t file_id, std::uint32_t first_page, std::uint32_t begin, std::uint32_t end) {
    std::uint64_t dirty_count = 0;
    for (std::uint32_t number = begin; number < end; ++number) {
        Frame& frame = frames_[number];
        const std::uint64_t page = frame.page.load(std::memory_order_relaxed);
        if (page == kNoPage) continue;
        const PageKey key = PageKey::unpack(page);
        if (key.file_id != file_id || key.page_id < first_page) continue;
        const std::uint32_t bucket = bucket_of(key);
        Slot slot = kNoSlot;
        {
            const std::lock_guard guard(lock_of(bucket));
            // The lazy writer's sweep may have come first.
            if (frame.page.load(std::memory_order_relaxed) != page) continue;
            UMS_ASSERT(frame.pins.load(std::memory_order_relaxed) == 0);
            unlink(bucket, frame);
            slot = std::exchange(frame.slot, kNoSlot);
            if (frame.dirty.exchange(false, std::memory_order_relaxed)) ++dirty_count;
        }
        release_evicted(frame, slot);
    }
    return dirty_count;
}

}  // namespace sim
