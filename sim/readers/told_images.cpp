#include "sim/readers/told_images.hpp"

#include "sim/page/page_codec.hpp"

namespace sim {

namespace {

std::uint64_t sums_of(const std::byte* image) { return std::uint64_t{page_checksum(image)} << 32U | read_header(image).checksum; }

}  // namespace

void ToldImages::add(std::uint32_t file_id, std::uint32_t page_id, const std::byte* image) {
    const std::lock_guard guard(mutex_);
    pages_[{file_id, page_id}] = sums_of(image);
    has_any_.store(true, std::memory_order_relaxed);
}

bool ToldImages::has(std::uint32_t file_id, std::uint32_t page_id, const std::byte* image) const {
    const std::lock_guard guard(mutex_);
    const auto found = pages_.find({file_id, page_id});
    return found != pages_.end() && found->second == sums_of(image);
}

// Nearly all readers have nothing to forget.
void ToldImages::forget(std::uint32_t file_id, std::uint32_t page_id) {
    if (!has_any_.load(std::memory_order_relaxed)) return;
    const std::lock_guard guard(mutex_);
    pages_.erase({file_id, page_id});
}

void ToldImages::add_size(std::uint32_t file_id, std::uint32_t pages) {
    const std::lock_guard guard(mutex_);
    sizes_[file_id] = pages;
}

bool ToldImages::has_size(std::uint32_t file_id, std::uint32_t pages) const {
    const std::lock_guard guard(mutex_);
    const auto found = sizes_.find(file_id);
    return found != sizes_.end() && found->second == pages;
}

}  // namespace sim
