#include "sim/buffer/page_checker.hpp"

#include "sim/page/page_verifier.hpp"

namespace sim {

bool PageChecker::matches(DataFile& data, const ReadPage& read) const {
    const PageLedger::Entry entry = data.ledger[read.page];
    if (!page_matches(read.image, {run_id_, data.file.id(), read.page, entry})) return false;
    if (entry.unknown == 0) {
        data.file.local_counters().pages_verified.add(1);
        if (entry.read_back == 0) data.ledger.mark_read_back(read.page);
    }
    return true;
}

}  // namespace sim
