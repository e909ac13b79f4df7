#include "sim/verify/region_sums.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/log/page_sums.hpp"

namespace sim {

namespace {

std::uint32_t region_count(std::uint32_t pages, std::uint32_t region_pages) {
    return static_cast<std::uint32_t>((std::uint64_t{pages} + region_pages - 1) / region_pages);
}

}  // namespace

bool RegionSums::record(const LogRecordHeader& header, std::span<const std::byte> body) {
    const std::uint32_t region_pages = header.version;
    const bool is_size_right = region_pages >= kRegionPagesMin && region_pages <= kRegionPagesMax && std::has_single_bit(region_pages);
    const bool is_first = region_pages_ == 0;
    if (!is_size_right || header.page_id % region_pages != 0 || body.size() % sizeof(RegionSum) != 0) return false;
    if (!is_first && (region_pages != region_pages_ || header.page_count != page_count_)) return false;
    const std::uint32_t first = header.page_id / region_pages;
    const auto count = static_cast<std::uint32_t>(body.size() / sizeof(RegionSum));
    if (first + count > region_count(header.page_count, region_pages)) return false;
    region_pages_ = region_pages;
    page_count_ = header.page_count;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::memcpy(&regions_[first + i].recorded, body.data() + i * sizeof(RegionSum), sizeof(RegionSum));
    }
    return true;
}

RegionSums::Region* RegionSums::region_of(std::uint32_t page) {
    if (!covers(page)) return nullptr;
    const auto found = regions_.find(page / region_pages_);
    return found == regions_.end() ? nullptr : &found->second;
}

void RegionSums::add(std::uint32_t page, std::uint32_t version) {
    Region* const region = region_of(page);
    if (region == nullptr) return;
    region->versions.fetch_add(version, std::memory_order_relaxed);
    region->weighted.fetch_add(weight_in_region(log_format_, region_pages_, page) * version, std::memory_order_relaxed);
}

void RegionSums::skip(std::uint32_t page) {
    Region* const region = region_of(page);
    if (region != nullptr) region->is_skipped.store(true, std::memory_order_relaxed);
}

void RegionSums::skip_from(std::uint32_t page) {
    if (region_pages_ == 0) return;
    for (auto region = regions_.lower_bound(page / region_pages_); region != regions_.end(); ++region) {
        region->second.is_skipped.store(true, std::memory_order_relaxed);
    }
}

bool RegionSums::has_unwritten(std::uint32_t page) const {
    if (!covers(page)) return false;
    const auto found = regions_.find(page / region_pages_);
    if (found == regions_.end()) return false;
    return found->second.recorded.versions < std::min(region_pages_, page_count_ - found->first * region_pages_);
}

// The only one whose weight explains both sums.
std::optional<std::uint32_t> RegionSums::page_that_lacks(const Mismatch& mismatch, std::uint64_t missing_weighted) const {
    if (mismatch.missing_versions == 0 || mismatch.is_too_new()) return std::nullopt;
    for (std::uint32_t i = 0; i < mismatch.page_count; ++i) {
        const std::uint32_t page = mismatch.first_page + i;
        if (weight_in_region(log_format_, region_pages_, page) * mismatch.missing_versions == missing_weighted) return page;
    }
    return std::nullopt;
}

RegionSums::Comparison RegionSums::compare() const {
    Comparison comparison;
    if (region_pages_ != 0) comparison.skipped = region_count(page_count_, region_pages_);
    for (const auto& [number, region] : regions_) {
        if (region.is_skipped) continue;
        ++comparison.compared;
        --comparison.skipped;
        if (const std::optional<Mismatch> mismatch = mismatch_of(number, region)) comparison.mismatches.push_back(*mismatch);
    }
    return comparison;
}

std::optional<RegionSums::Mismatch> RegionSums::mismatch_of(std::uint32_t number, const Region& region) const {
    const std::uint64_t missing = region.recorded.versions - region.versions;
    const std::uint64_t weighted = region.recorded.weighted - region.weighted;
    if (missing == 0 && weighted == 0) return std::nullopt;
    Mismatch mismatch;
    mismatch.first_page = number * region_pages_;
    mismatch.page_count = std::min(region_pages_, page_count_ - mismatch.first_page);
    mismatch.missing_versions = missing;
    mismatch.page = page_that_lacks(mismatch, weighted);
    return mismatch;
}

void RegionSums::begin_again(const Mismatch& mismatch) {
    Region& region = regions_.at(mismatch.first_page / region_pages_);
    region.versions = 0;
    region.weighted = 0;
    region.is_skipped = false;
}

std::optional<RegionSums::Mismatch> RegionSums::compare_again(const Mismatch& mismatch) const {
    const std::uint32_t number = mismatch.first_page / region_pages_;
    return mismatch_of(number, regions_.at(number));
}

}  // namespace sim
