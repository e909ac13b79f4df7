#include "sim/verify/page_bounds.hpp"

#include <algorithm>

#include "sim/ledger/page_ledger.hpp"

namespace sim {

// Page 0 is written when the file is made, and synced.
PageBounds::PageBounds(std::uint64_t begin_lsn, std::uint32_t page_count, bool is_made) : begin_lsn_(begin_lsn), bounds_(page_count) {
    if (page_count > 0 && is_made) bounds_[0].least = 1;
}

void PageBounds::changed(std::uint64_t lsn, std::uint32_t page, std::uint32_t version) {
    if (page >= bounds_.size() || version == 0 || version > kVersionMax) return;
    Bound& bound = bounds_[page];
    if (lsn < begin_lsn_) {
        bound.newest = version & kVersionMax;
        bound.least = version;
        return;
    }
    // Each change adds one, so before the first change after the checkpoint's begin the page had the version one below.
    if (bound.has_changed == 0 && bound.is_released == 0) bound.least = version - 1;
    bound.has_changed = 1;
    bound.newest = version & kVersionMax;
}

// Pages beyond a cut are new when the file grows again: zeros, whatever they held before.
void PageBounds::resized(std::uint64_t lsn, std::uint32_t page_count) {
    promised_pages_ = page_count;
    had_at_some_time(page_count);
    const bool is_before = lsn < begin_lsn_;
    if (!is_before) {
        is_resized_ = true;
        cut_from_ = std::min(cut_from_, page_count);
    }
    for (std::size_t page = page_count; page < bounds_.size(); ++page) {
        bounds_[page] = Bound{};
        if (!is_before) bounds_[page].is_released = bounds_[page].is_any_legal = 1;
    }
}

void PageBounds::release(std::uint32_t page) {
    if (page >= bounds_.size()) return;
    Bound& bound = bounds_[page];
    bound.least = 0;
    bound.is_released = 1;
}

void PageBounds::release_all() {
    for (Bound& bound : bounds_) {
        bound.least = 0;
        bound.is_released = 1;
    }
}

void PageBounds::allow_any() {
    for (Bound& bound : bounds_) bound.is_any_legal = 1;
}

}  // namespace sim
