#include "sim/buffer/page_checker.hpp"

#include "sim/page/page_verifier.hpp"

namespace sim {

bool PageChecker::matches(DataFile& data, std::uint32_t page, const std::byte* image) const {
    const PageLedger::Entry entry = data.ledger[page];
    if (!page_matches(image, {run_id_, data.file.id(), page, entry})) return false;
    if (entry.unknown == 0) {
        data.file.local_counters().pages_verified.add(1);
        if (entry.read_back == 0) data.ledger.mark_read_back(page);
    }
    return true;
}

}  // namespace sim
