#include "sim/backup/log_redo.hpp"

#include <algorithm>

namespace sim {

void LogRedo::take(const LogRecordHeader& record) {
    switch (static_cast<LogRecordKind>(record.kind)) {
        case LogRecordKind::page_update:
        case LogRecordKind::filler:  // the LSN of a change is that of its last record
            if (record.version != 0 && record.version <= kVersionMax) changes_[record.page_id] = {record.version, record.lsn};
            return;
        case LogRecordKind::file_resize:
            // The record says how large the file was before (page_id). The log of a differential backup begins before the backup: a cut in
            // it may have led to the size that the file had when the backup began.
            // A cut that was logged but did not take place is logged again, as a growth.
            if (is_cut(record)) {
                cuts_.push_back({record.lsn, record.page_count});
                std::erase_if(changes_, [&record](const auto& change) { return change.first >= record.page_count; });
            }
            page_count_ = record.page_count;
            return;
        default: return;
    }
}

bool LogRedo::is_cut_off(std::uint32_t page, std::uint64_t lsn) const {
    return std::any_of(cuts_.begin(), cuts_.end(), [&](const Cut& cut) { return page >= cut.page_count && lsn < cut.lsn; });
}

}  // namespace sim
