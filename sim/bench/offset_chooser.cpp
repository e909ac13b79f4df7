#include "sim/bench/offset_chooser.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/errors.hpp"

namespace sim {

TargetRange::TargetRange(const MeasureTarget& target, std::uint64_t file_bytes)
    : begin_bytes_(target.base_offset_bytes),
      alignment_bytes_(target.alignment_bytes != 0 ? target.alignment_bytes : target.block_bytes),
      block_bytes_(target.block_bytes),
      stride_bytes_(target.alignment_bytes),
      is_stride_zero_(target.is_stride_zero) {
    const std::uint64_t end_bytes = target.max_offset_bytes != 0 ? std::min(target.max_offset_bytes, file_bytes) : file_bytes;
    length_bytes_ = end_bytes - std::min(end_bytes, begin_bytes_);
    if (length_bytes_ < block_bytes_) {
        throw RefusedError(fmt::format("{}: is too small: a block of {} bytes does not fit into the {} bytes from offset {} on.",
                                       target.path, block_bytes_, length_bytes_, begin_bytes_));
    }
    if (stride_bytes_ == 0 && target.block_bytes_min == 0) stride_bytes_ = block_bytes_;
    add_parts(target);
}

void TargetRange::add_parts(const MeasureTarget& target) {
    // As in DiskSpd, parts by size that begin beyond the end are left out, and the others share their requests.
    const bool has_sizes = !target.spans.empty() && target.spans.front().size_bytes != 0;
    const auto is_beyond = [&](std::uint64_t begin) { return has_sizes && length_bytes_ - begin < block_bytes_; };
    double passed_percent = 0;
    std::uint64_t begin = 0;
    std::uint32_t io_percent = 0;
    for (const MeasureSpan& span : target.spans) {
        if (is_beyond(begin)) break;
        passed_percent += span.target_percent;
        const auto by_percent = static_cast<std::uint64_t>(static_cast<double>(length_bytes_) * passed_percent / 100);
        const std::uint64_t left = length_bytes_ - begin;
        const std::uint64_t end = span.size_bytes != 0 ? begin + std::min(span.size_bytes, left) : std::min(length_bytes_, by_percent);
        if (span.io_percent > 0) add_part(begin, end, span.io_percent);
        io_percent += span.io_percent;
        begin = end;
    }
    if (io_percent < 100 && !is_beyond(begin)) add_part(begin, length_bytes_, 100 - io_percent);
    if (parts_.empty()) {
        throw RefusedError(fmt::format("{}: is too small: the parts that get requests begin beyond its {} bytes from offset {} on.",
                                       target.path, length_bytes_, begin_bytes_));
    }
}

void TargetRange::add_part(std::uint64_t begin, std::uint64_t end, std::uint32_t io_percent) {
    const auto slots_before = [&](std::uint64_t offset) { return offset / alignment_bytes_ + (offset % alignment_bytes_ != 0 ? 1 : 0); };
    const std::uint64_t first = slots_before(begin);
    // Slots that begin before the end of the part and whose block ends within the range.
    const std::uint64_t slots_of_range = (length_bytes_ - block_bytes_) / alignment_bytes_ + 1;
    const std::uint64_t after = std::min(slots_of_range, slots_before(end));
    if (after <= first) {
        throw RefusedError(
            fmt::format("The part of the target from {} to {} bytes, which gets {} % of the requests, holds no block of {} bytes.", begin,
                        end, io_percent, block_bytes_));
    }
    const std::uint64_t below = parts_.empty() ? 0 : parts_.back().share_below;
    parts_.push_back({below + io_percent, first, after - first});
}

std::uint64_t TargetRange::random_offset(ums::Prng& prng) const {
    const Part* part = &parts_.front();
    if (parts_.size() > 1) {
        const std::uint64_t dice = prng.below(parts_.back().share_below);
        while (part->share_below <= dice) ++part;
    }
    return begin_bytes_ + (part->first_slot + prng.below(part->slots)) * alignment_bytes_;
}

std::uint64_t TargetRange::next_shared_offset(std::uint32_t size_bytes) {
    if (is_stride_zero_) return begin_bytes_;
    if (stride_bytes_ != 0) {
        const std::uint64_t slots = (length_bytes_ - block_bytes_) / stride_bytes_ + 1;
        return begin_bytes_ + shared_position_.fetch_add(1, std::memory_order_relaxed) % slots * stride_bytes_;
    }
    // Blocks of different sizes follow each other directly.
    std::uint64_t position = shared_position_.load(std::memory_order_relaxed);
    std::uint64_t taken = 0;
    do {
        taken = position + size_bytes <= length_bytes_ ? position : 0;
    } while (!shared_position_.compare_exchange_weak(position, taken + size_bytes, std::memory_order_relaxed));
    return begin_bytes_ + taken;
}

namespace {

// Relative to the range. Threads that started over at its beginning would follow each other through the same blocks, and measure a cache.
std::uint64_t start_of_thread(const MeasureTarget& target, const TargetRange& range, std::uint32_t thread) {
    const std::uint32_t block_bytes = target.block_bytes;
    const std::uint64_t last_start_bytes = range.length_bytes() - block_bytes;
    if (thread != 0 && target.thread_stride_bytes > last_start_bytes / thread) {
        throw RefusedError(
            fmt::format("{}: is too small: {} threads that begin {} bytes apart, with a block of {} bytes, do not fit into the {} bytes "
                        "from offset {} on.",
                        target.path, thread + 1, target.thread_stride_bytes, block_bytes, range.length_bytes(), range.begin_bytes()));
    }
    return thread * target.thread_stride_bytes;
}

// Every thread goes through the whole range, on the places that its stride reaches from its start.
std::uint64_t first_place_of(const MeasureTarget& target, std::uint64_t start_bytes) {
    return target.is_stride_zero ? start_bytes : start_bytes % (target.alignment_bytes != 0 ? target.alignment_bytes : target.block_bytes);
}

}  // namespace

OffsetChooser::OffsetChooser(const MeasureTarget& target, TargetRange& range, std::uint32_t thread) : target_(target), range_(range) {
    const std::uint64_t start = start_of_thread(target, range, thread);
    again_ = first_place_of(target, start);
    position_ = start;
}

bool OffsetChooser::begins_run(ums::Prng& prng) {
    if (target_.access != MeasureAccess::mixed) return true;
    const bool is_first = !has_begun_;
    has_begun_ = true;
    return is_first || prng.below(100) < target_.random_percent;
}

std::uint64_t OffsetChooser::next(std::uint32_t size_bytes, bool is_new_run, ums::Prng& prng) {
    switch (target_.access) {
        case MeasureAccess::random: return range_.random_offset(prng);
        case MeasureAccess::interlocked: return range_.next_shared_offset(size_bytes);
        case MeasureAccess::sequential: break;
        case MeasureAccess::mixed:
            if (is_new_run) position_ = range_.random_offset(prng) - range_.begin_bytes();
            break;
    }
    return next_sequential(size_bytes);
}

std::uint64_t OffsetChooser::next_sequential(std::uint32_t size_bytes) {
    const std::uint64_t length_bytes = range_.length_bytes();
    if (position_ + size_bytes > length_bytes) position_ = again_ + size_bytes <= length_bytes ? again_ : 0;
    const std::uint64_t offset = range_.begin_bytes() + position_;
    std::uint64_t stride = size_bytes;
    if (target_.is_stride_zero) {
        stride = 0;
    } else if (target_.alignment_bytes != 0) {
        stride = target_.alignment_bytes;
    }
    position_ += std::min(stride, length_bytes);  // a stride may be so large that the sum would be too large for its type
    return offset;
}

}  // namespace sim
