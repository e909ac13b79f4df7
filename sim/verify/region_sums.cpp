#include "sim/verify/region_sums.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/log/page_sums.hpp"

namespace sim {

namespace {

// Of a region. More have so many pairs that it takes long to try all.
constexpr std::uint32_t kPairedPagesMax = 512;
// So many pairs times ways to divide what is missing, of which each fits by chance once in 2^64.
constexpr std::uint64_t kDivisionsMax = std::uint64_t{1} << 32;

// The only number below 2^32 that gives this product, modulo 2^64. Nothing if there is none, or if there may be several.
std::optional<std::uint64_t> quotient_of(std::uint64_t product, std::uint64_t factor) {
    const int zeros = std::countr_zero(factor);
    if (zeros > 32 || product % (std::uint64_t{1} << zeros) != 0) return std::nullopt;
    const std::uint64_t odd = factor >> zeros;
    // Newton's method: an odd number is its own inverse modulo 8, and each step doubles the number of bits that are right.
    std::uint64_t inverse = odd;
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
    const std::uint64_t quotient = ((product >> zeros) * inverse) & (~std::uint64_t{0} >> zeros);
    if (quotient >> 32 != 0) return std::nullopt;
    return quotient;
}

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
    const std::uint32_t first_page = found->first * region_pages_;
    const std::uint64_t pages = std::min(region_pages_, page_count_ - first_page);
    return found->second.recorded.versions < (first_page == 0 ? pages + 1 : pages);
}

// The only one whose weight explains both sums.
std::optional<std::uint32_t> RegionSums::page_that_lacks(const Mismatch& mismatch) const {
    if (mismatch.missing_versions == 0 || mismatch.is_too_new()) return std::nullopt;
    for (std::uint32_t i = 0; i < mismatch.page_count; ++i) {
        const std::uint32_t page = mismatch.first_page + i;
        if (weight_in_region(log_format_, region_pages_, page) * mismatch.missing_versions == mismatch.missing_weighted) return page;
    }
    return std::nullopt;
}

std::optional<RegionSums::Pair> RegionSums::pair_that_lacks(const Mismatch& mismatch, const MayLack& may_lack) const {
    if (log_format_ <= kLogFormatOfPlaces || mismatch.page_count < 2 || mismatch.page_count > kPairedPagesMax) return std::nullopt;
    const std::uint64_t pairs = std::uint64_t{mismatch.page_count} * (mismatch.page_count - 1) / 2;
    if (mismatch.missing_versions < 2 || mismatch.missing_versions > kDivisionsMax / pairs) return std::nullopt;
    const std::uint32_t end = mismatch.first_page + mismatch.page_count;
    std::optional<Pair> found;
    for (std::uint32_t first = mismatch.first_page; first < end; ++first) {
        for (std::uint32_t second = first + 1; second < end; ++second) {
            const std::optional<Pair> pair = divided_among(first, second, mismatch);
            if (!pair || !may_lack(pair->at(0)) || !may_lack(pair->at(1))) continue;
            if (found) return std::nullopt;
            found = pair;
        }
    }
    return found;
}

// How many of the missing versions each of the two lacks if both lack some, and no other page does: with a and b as their weights,
// a * x + b * (missing - x) is what the weighted sum lacks.
std::optional<RegionSums::Pair> RegionSums::divided_among(std::uint32_t first, std::uint32_t second, const Mismatch& mismatch) const {
    const std::uint64_t of_first = weight_in_region(log_format_, region_pages_, first);
    const std::uint64_t of_second = weight_in_region(log_format_, region_pages_, second);
    const std::uint64_t missing = mismatch.missing_versions;
    const std::optional<std::uint64_t> lacking = quotient_of(mismatch.missing_weighted - of_second * missing, of_first - of_second);
    if (!lacking || *lacking == 0 || *lacking >= missing) return std::nullopt;
    return Pair{Lacking{first, static_cast<std::uint32_t>(*lacking)}, Lacking{second, static_cast<std::uint32_t>(missing - *lacking)}};
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
    mismatch.missing_weighted = weighted;
    mismatch.page = page_that_lacks(mismatch);
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
