// The pages of a file in ranges, one after the other, for tasks that share them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

namespace sim {

class PageRanges {
public:
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };

    // The next pages, at most `step` of them, of a file of `pages`; nothing if all have been taken. Any thread.
    [[nodiscard]] std::optional<Range> take(std::uint32_t step, std::uint32_t pages) {
        const std::uint64_t first = next_page_.fetch_add(step, std::memory_order_relaxed);
        if (first >= pages) return std::nullopt;
        const auto begin = static_cast<std::uint32_t>(first);
        return Range{begin, std::min(step, pages - begin)};
    }
    void begin_again() { next_page_.store(0, std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> next_page_{0};  // each task that finds no more goes beyond the end, which may be the last page number
};

}  // namespace sim
