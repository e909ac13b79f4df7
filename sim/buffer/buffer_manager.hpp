// Pages for the users: reads them in and lets users change them; the ledger knows what they must contain. One page at a time; RangeReader
// reads ranges, PageWriter writes them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/buffer/page_checker.hpp"
#include "sim/files/data_file.hpp"
#include "sim/pool/buffer_pool.hpp"
#include "ums/base/prng.hpp"
#include "ums/sched/event.hpp"

namespace sim {

// A page in memory: pinned, latched, and its file kept from changing size. Releases everything on destruction. A task holds at most one
// page of a file at a time (the file's latch is not recursive).
class FixedPage {
public:
    FixedPage() = default;
    FixedPage(BufferPool& pool, DataFile& data, Frame& frame, ums::LatchMode mode)
        : pool_(&pool), data_(&data), frame_(&frame), mode_(mode) {}
    FixedPage(FixedPage&& other) noexcept { *this = std::move(other); }
    FixedPage& operator=(FixedPage&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(data_, other.data_);
        std::swap(frame_, other.frame_);
        std::swap(mode_, other.mode_);
        return *this;
    }
    ~FixedPage() { release(); }

    void release();
    explicit operator bool() const { return frame_ != nullptr; }
    [[nodiscard]] Frame& frame() const { return *frame_; }

private:
    BufferPool* pool_ = nullptr;
    DataFile* data_ = nullptr;
    Frame* frame_ = nullptr;
    ums::LatchMode mode_{};
};

enum class FixIntent : std::uint8_t {
    look,       // SH
    change,     // EX
    overwrite,  // EX, and the old contents do not matter: they are not read if they are not in memory
};

class PageWriter;

class BufferManager {
public:
    // `cache_hit_ratio`: chance, in hundredths of a percent, that a page in memory is used without reading it again.
    BufferManager(BufferPool& pool, PageChecker& checker, RunState& run, Journal& journal, std::uint32_t cache_hit_ratio)
        : pool_(pool), checker_(checker), run_(run), journal_(journal), cache_hit_ratio_(cache_hit_ratio) {}

    // The page, or nothing if it no longer exists (the file has shrunk) or cannot be read (already reported). Hold no latch. `prng` decides
    // on cache hits. A dirty page that is to be read again is written first, by `writer` (the task's own); without one it is used as it is.
    ums::Task<FixedPage> fix(DataFile& data, std::uint32_t page, FixIntent intent, ums::Prng& prng, PageWriter* writer = nullptr);

    // The contents have changed: new version, dirty. The page is held EX.
    static std::uint32_t change(DataFile& data, Frame& frame);
    // The change is in the log at `lsn`.
    static void logged(Frame& frame, std::uint64_t lsn);

    // Removes every page of the file from `first_page` on from memory, dirty or not. The caller holds the file's resize latch exclusively.
    // Yields: a large pool has millions of frames. Returns how many pages were dirty.
    ums::Task<std::uint64_t> discard_from(const DataFile& data, std::uint32_t first_page);
    // The same for pages that the file no longer has: its ledger forgets them, too.
    ums::Task<std::uint64_t> forget_from(DataFile& data, std::uint32_t first_page);

    [[nodiscard]] BufferPool& pool() { return pool_; }
    [[nodiscard]] PageChecker& checker() { return checker_; }
    // Set when free memory is short, and again when a task waits for some; the lazy writer waits for it.
    [[nodiscard]] ums::Event& memory_requested() { return pool_.slots().wanted(); }
    // Memory for `count` pages: free memory, otherwise that of clean pages, otherwise what the lazy writer frees. Hold no latch.
    ums::Task<void> acquire_slots(std::uint32_t count, std::vector<Slot>& slots);
    // The same without waiting: false if there is not enough, or if others are already waiting.
    [[nodiscard]] bool try_acquire_slots(std::uint32_t count, std::vector<Slot>& slots);
    // Free slots that the lazy writer keeps available.
    [[nodiscard]] std::uint64_t free_target() const;

private:
    void stop_before_last_version(const DataFile& data, const Frame& frame);
    void request_memory(std::uint64_t count);
    void sweep_for(std::uint64_t count);
    Frame* find_or_insert(PageKey key, std::vector<Slot>& spare, bool& inserted);
    ums::Task<bool> read_in(DataFile& data, Frame& frame, Slot slot);
    ums::Task<bool> read_again(DataFile& data, Frame& frame, std::vector<Slot>& spare);
    ums::Task<FixedPage> use_present(DataFile& data, Frame& frame, FixIntent intent, bool hit, std::vector<Slot>& spare, bool& is_gone);
    ums::Task<FixedPage> use_new(DataFile& data, Frame& frame, FixIntent intent, Slot slot);

    BufferPool& pool_;
    PageChecker& checker_;
    RunState& run_;
    Journal& journal_;
    const std::uint32_t cache_hit_ratio_;
};

}  // namespace sim
