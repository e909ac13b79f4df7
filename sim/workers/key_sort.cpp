#include "sim/workers/key_sort.hpp"

#include <algorithm>
#include <cstddef>

#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// To sort so many takes a fraction of a millisecond.
constexpr std::size_t kKeysPerPiece = 4096;

// What is left of two sorted ranges that are being merged.
struct SortedRanges {
    const std::uint64_t* left;
    const std::uint64_t* left_end;
    const std::uint64_t* right;
    const std::uint64_t* right_end;

    void append_next_to(std::vector<std::uint64_t>& keys, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_left = right == right_end || (left != left_end && *left <= *right);
            keys.push_back(is_left ? *left++ : *right++);
        }
    }
};

}  // namespace

ums::Task<void> sort_keys(std::vector<std::uint64_t>& keys) {
    const std::size_t size = keys.size();
    for (std::size_t begin = 0; begin < size; begin += kKeysPerPiece) {
        std::sort(keys.data() + begin, keys.data() + std::min(begin + kKeysPerPiece, size));
        co_await ums::Scheduler::current().yield_if_due();
    }
    std::vector<std::uint64_t> merged;
    for (std::size_t sorted = kKeysPerPiece; sorted < size; sorted *= 2) {
        merged.clear();
        merged.reserve(size);
        for (std::size_t begin = 0; begin < size; begin += 2 * sorted) {
            const std::size_t middle = std::min(begin + sorted, size);
            const std::size_t end = std::min(middle + sorted, size);
            const std::uint64_t* const data = keys.data();
            SortedRanges ranges{data + begin, data + middle, data + middle, data + end};
            while (merged.size() < end) {
                ranges.append_next_to(merged, std::min(kKeysPerPiece, end - merged.size()));
                co_await ums::Scheduler::current().yield_if_due();
            }
        }
        keys.swap(merged);
    }
}

}  // namespace sim
