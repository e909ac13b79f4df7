#include "sim/ledger/page_ledger.hpp"

#include <algorithm>

namespace sim {

PageLedger::PageLedger(std::uint64_t pages_max)
    : pages_max_(pages_max),
      memory_(pages_max * sizeof(Entry), ums::MemoryKind::plain),
      touched_(std::make_unique<std::atomic<bool>[]>((pages_max + kRangePages - 1) / kRangePages)) {}

bool PageLedger::is_untouched(std::uint32_t first_page, std::uint32_t count) const {
    UMS_ASSERT(count > 0 && std::uint64_t{first_page} + count <= pages_max_);
    const std::uint32_t last_range = (first_page + count - 1) / kRangePages;
    for (std::uint32_t range = first_page / kRangePages; range <= last_range; ++range) {
        if (touched_[range].load(std::memory_order_relaxed)) return false;
    }
    return true;
}

void PageLedger::acknowledge(std::uint32_t page, std::uint32_t version, std::uint64_t lsn, std::uint32_t checksum) {
    UMS_ASSERT(version != 0 && version <= kVersionMax);
    const Entry entry = (*this)[page];
    UMS_ASSERT(version > entry.version || (version == entry.version && entry.unknown != 0));
    const bool is_first = is_unwritten(entry) || (entry.version == version && entry.first_write != 0);
    store(page, Entry{lsn, checksum, version & kVersionMax, is_first ? 1U : 0U, 0, 0});
    touch(page);
}

void PageLedger::forget_range(std::uint64_t first_page, std::uint64_t end_page, std::uint64_t before_lsn) {
    const std::uint64_t end = std::min(end_page, pages_max_);
    std::uint64_t page = first_page;
    while (page < end) {
        const std::uint64_t range_end = std::min((page / kRangePages + 1) * kRangePages, end);
        const bool is_touched = touched_[page / kRangePages].load(std::memory_order_relaxed);
        for (; is_touched && page < range_end; ++page) {
            const auto each = static_cast<std::uint32_t>(page);
            if ((*this)[each].lsn < before_lsn) forget(each);
        }
        page = range_end;
    }
}

void PageLedger::restore(std::uint32_t page, std::uint32_t version, std::uint64_t lsn, std::uint32_t checksum, bool is_unknown) {
    UMS_ASSERT(version <= kVersionMax);
    store(page, Entry{lsn, checksum, version & kVersionMax, 0, is_unknown ? 1U : 0U, 0});
    touch(page);
}

}  // namespace sim
