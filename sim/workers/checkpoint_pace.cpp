#include "sim/workers/checkpoint_pace.hpp"

#include <algorithm>
#include <utility>

namespace sim {
namespace {

// Bounds for a file about which nothing is known yet, and for one that is implausibly fast.
constexpr std::uint64_t kRedoMin = 100;
constexpr std::uint64_t kRedoMax = 1'000'000;
// A pass begins when so much of what the log may hold is used, and is over when as much as that is left of the rest.
constexpr std::uint64_t kBeginShare = 4;
constexpr std::uint64_t kSpareShare = 4;

}  // namespace

std::uint64_t redo_pages_per_s(std::uint32_t request_blocks, std::uint64_t average_us) {
    constexpr std::uint64_t kUsPerSecond = 1'000'000;
    return std::clamp(std::uint64_t{request_blocks} * kUsPerSecond / std::max<std::uint64_t>(average_us, 1), kRedoMin, kRedoMax);
}

bool CheckpointPace::should_begin(std::uint64_t dirty_pages, const LogSpace::Use& log) const {
    return dirty_pages > dirty_target_ || (dirty_pages > 0 && log.used_bytes >= log.short_bytes / kBeginShare);
}

void CheckpointPace::begin(std::uint64_t pass_pages, const LogSpace::Use& log) {
    pass_pages_ = pass_pages;
    begin_used_bytes_ = log.used_bytes;
}

std::uint64_t CheckpointPace::due_pages(std::uint64_t done_pages, std::uint64_t dirty_pages, const LogSpace::Use& log) const {
    const std::uint64_t left = pass_pages_ - std::min(pass_pages_, done_pages);
    const std::uint64_t above_target = dirty_pages - std::min(dirty_pages, dirty_target_);
    if (log.used_bytes >= log.short_bytes) return left;
    // The pass must have progressed by the same share as the room that it has is used.
    const std::uint64_t room_bytes = log.short_bytes - std::min(log.short_bytes, begin_used_bytes_);
    const std::uint64_t spare_bytes = room_bytes / kSpareShare;
    const std::uint64_t since_bytes = log.used_bytes - std::min(log.used_bytes, begin_used_bytes_);
    const auto share =
        room_bytes == 0 ? 1.0 : std::min(1.0, static_cast<double>(since_bytes) / static_cast<double>(room_bytes - spare_bytes));
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(pass_pages_));
    return std::min(left, std::max(above_target, wanted - std::min(wanted, done_pages)));
}

void SlowWrites::look(std::uint64_t writes, std::uint64_t write_time_us) {
    const std::uint64_t count = writes - std::exchange(writes_, writes);
    const std::uint64_t time_us = write_time_us - std::exchange(write_time_us_, write_time_us);
    if (!is_on() || count == 0) return;
    const std::uint32_t now = allowed();
    const bool is_slow = time_us / count > limit_us_;
    allowed_.store(is_slow ? std::max(now / 2, 1U) : std::min(now + 1, writers_), std::memory_order_relaxed);
}

}  // namespace sim
