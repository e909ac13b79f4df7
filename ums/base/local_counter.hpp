// A counter that one thread changes and any thread may read at any time, without a locked instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace ums {

class LocalCounter {
public:
    // Owning thread only.
    void add(std::uint64_t amount) { value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed); }
    void raise_to(std::uint64_t amount) {
        if (amount > value_.load(std::memory_order_relaxed)) value_.store(amount, std::memory_order_relaxed);
    }
    // Any thread.
    [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

}  // namespace ums
