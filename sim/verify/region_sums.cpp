#include "sim/verify/region_sums.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sim {

bool RegionSums::record(const LogRecordHeader& header, std::span<const std::byte> body) {
    const std::uint32_t region_pages = header.version;
    const bool is_size_right = region_pages >= kRegionPagesMin && region_pages <= kRegionPagesMax && std::has_single_bit(region_pages);
    const bool is_first = region_pages_ == 0;
    if (!is_size_right || header.page_id % region_pages != 0 || body.size() % sizeof(RegionSum) != 0) return false;
    if (!is_first && (region_pages != region_pages_ || header.page_count != page_count_)) return false;
    const std::size_t regions = (std::size_t{header.page_count} + region_pages - 1) / region_pages;
    const std::size_t first = header.page_id / region_pages;
    const std::size_t count = body.size() / sizeof(RegionSum);
    if (first + count > regions) return false;
    region_pages_ = region_pages;
    page_count_ = header.page_count;
    while (regions_.size() < regions) regions_.push_back(std::make_unique<Region>());
    for (std::size_t i = 0; i < count; ++i) {
        Region& region = *regions_[first + i];
        std::memcpy(&region.recorded, body.data() + i * sizeof(RegionSum), sizeof(RegionSum));
        region.is_recorded = true;
    }
    return true;
}

RegionSums::Region* RegionSums::region_of(std::uint32_t page) { return covers(page) ? regions_[page / region_pages_].get() : nullptr; }

void RegionSums::add(std::uint32_t page, std::uint32_t version) {
    Region* const region = region_of(page);
    if (region == nullptr) return;
    region->versions.fetch_add(version, std::memory_order_relaxed);
    region->weighted.fetch_add(std::uint64_t{page % region_pages_ + 1} * version, std::memory_order_relaxed);
}

void RegionSums::skip(std::uint32_t page) {
    Region* const region = region_of(page);
    if (region != nullptr) region->is_skipped.store(true, std::memory_order_relaxed);
}

void RegionSums::skip_from(std::uint32_t page) {
    if (region_pages_ == 0) return;
    for (std::size_t i = page / region_pages_; i < regions_.size(); ++i) regions_[i]->is_skipped.store(true, std::memory_order_relaxed);
}

RegionSums::Comparison RegionSums::compare() const {
    Comparison comparison;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        const Region& region = *regions_[i];
        if (region.is_skipped || !region.is_recorded) {
            ++comparison.skipped;
            continue;
        }
        ++comparison.compared;
        const std::uint64_t missing = region.recorded.versions - region.versions;
        const std::uint64_t weighted = region.recorded.weighted - region.weighted;
        if (missing == 0 && weighted == 0) continue;
        Mismatch mismatch;
        mismatch.first_page = static_cast<std::uint32_t>(i * region_pages_);
        mismatch.page_count = std::min(region_pages_, page_count_ - mismatch.first_page);
        mismatch.missing_versions = missing;
        if (missing != 0 && !mismatch.is_too_new() && weighted % missing == 0) {
            const std::uint64_t place = weighted / missing;
            if (place >= 1 && place <= mismatch.page_count) mismatch.page = mismatch.first_page + static_cast<std::uint32_t>(place) - 1;
        }
        comparison.mismatches.push_back(mismatch);
    }
    return comparison;
}

}  // namespace sim
