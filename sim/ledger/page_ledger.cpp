#include "sim/ledger/page_ledger.hpp"

namespace sim {

PageLedger::PageLedger(std::uint64_t pages_max) : pages_max_(pages_max), memory_(pages_max * sizeof(Entry), ums::MemoryKind::plain) {}

void PageLedger::acknowledge(std::uint32_t page, std::uint32_t version, std::uint64_t lsn, std::uint32_t checksum) {
    UMS_ASSERT(version != 0 && version <= kVersionMax);
    Entry& entry = at(page);
    UMS_ASSERT(version > entry.version || (version == entry.version && entry.unknown != 0));
    entry = Entry{lsn, checksum, version & kVersionMax, 0, 0};
}

}  // namespace sim
