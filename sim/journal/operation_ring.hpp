// The last operations of one scheduler, in a ring of memory, for the history of a finding. The scheduler's thread writes; a task with a
// finding reads all rings.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ums/base/spinlock.hpp"

namespace sim {

// Of fixed size and without pointers: the task that did it may be gone when this is read.
struct Operation {
    std::uint64_t sequence = 0;   // of its scheduler, from 0
    std::uint64_t posted_ns = 0;  // monotonic
    std::uint64_t duration_ns = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t lsn = 0;
    std::uint32_t size_bytes = 0;
    std::uint32_t transferred_bytes = 0;
    std::uint32_t version = 0;
    std::int32_t error_code = 0;
    std::uint16_t file_id = 0;
    std::uint8_t cpu = 0;
    bool is_write : 1 = false;
    bool is_diagnosis : 1 = false;
    std::array<char, 36> user{};  // truncated, zero-terminated
};

static_assert(sizeof(Operation) == 96);

class alignas(64) OperationRing {
public:
    OperationRing() = default;
    // `memory` must outlive the ring.
    explicit OperationRing(std::span<Operation> memory) : memory_(memory) {}

    // Keeps the operation that `fill(operation)` makes, and returns its number. One thread, so the lock costs almost nothing. The operation
    // is made in place, in memory that has been prefetched: the ring is larger than the caches, and every locked instruction that follows
    // would wait for its stores.
    template <typename Fill>
    std::uint64_t record(Fill&& fill) {
        lock_.lock();
        const std::uint64_t sequence = count_++;
        Operation& operation = memory_[place_of(sequence)];
        fill(operation);
        operation.sequence = sequence;
        lock_.unlock();
        fetch(memory_[place_of(sequence + kPrefetchDistance)]);
        return sequence;
    }
    // Keeps an operation that another ring has numbered. Any thread.
    void copy_in(const Operation& operation) {
        lock_.lock();
        memory_[place_of(count_++)] = operation;
        lock_.unlock();
    }

    // Calls `visit(operation)` for each of the last `count_max` operations, oldest first. Any thread. Operations that are overwritten
    // meanwhile are left out; `visit` is called without the lock, so it may take its time.
    template <typename Visitor>
    void visit(std::uint64_t count_max, Visitor&& visit) const {
        std::array<Operation, 32> piece;
        const std::uint64_t end = count();
        std::uint64_t next = end - std::min(end, count_max);
        while (const std::size_t copied = copy(next, end, piece)) {
            for (std::size_t i = 0; i < copied; ++i) visit(piece[i]);
            next += copied;
        }
    }

private:
    static constexpr std::uint64_t kPrefetchDistance = 2;

    static void fetch(const Operation& operation) {
        const auto* bytes = reinterpret_cast<const char*>(&operation);
        __builtin_prefetch(bytes, 1);
        __builtin_prefetch(bytes + sizeof operation - 1, 1);
    }

    [[nodiscard]] std::size_t place_of(std::uint64_t sequence) const { return static_cast<std::size_t>(sequence % memory_.size()); }
    [[nodiscard]] std::uint64_t count() const {
        lock_.lock();
        const std::uint64_t count = count_;
        lock_.unlock();
        return count;
    }

    // Copies some of [next, end); `next` advances to what is still there.
    std::size_t copy(std::uint64_t& next, std::uint64_t end, std::span<Operation> piece) const {
        lock_.lock();
        next = std::max(next, count_ - std::min<std::uint64_t>(count_, memory_.size()));
        std::size_t copied = 0;
        for (; copied < piece.size() && next + copied < end; ++copied) piece[copied] = memory_[place_of(next + copied)];
        lock_.unlock();
        return copied;
    }

    mutable ums::Spinlock lock_;  // guards what follows
    std::span<Operation> memory_;
    std::uint64_t count_ = 0;  // including those that were overwritten
};

}  // namespace sim
