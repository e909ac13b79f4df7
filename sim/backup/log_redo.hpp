// What the log of a backup chain says about one data file: which changes a restore must apply to the pages of the backup, and how large the
// file is in the end. Pure.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/ledger/page_ledger.hpp"
#include "sim/page/log_layout.hpp"

namespace sim {

class LogRedo {
public:
    // `page_count`: of the file when its backup began.
    explicit LogRedo(std::uint32_t page_count) : page_count_(page_count) {}

    // A record of the file, in the order of the log.
    void take(const LogRecordHeader& record);

    struct Change {
        std::uint32_t version = 0;
        std::uint64_t lsn = 0;
    };
    // The newest change of each page that has one.
    [[nodiscard]] const std::unordered_map<std::uint32_t, Change>& changes() const { return changes_; }
    [[nodiscard]] std::uint32_t page_count() const { return page_count_; }
    // Whether a page that was backed up at this LSN was cut off afterwards.
    [[nodiscard]] bool is_cut_off(std::uint32_t page, std::uint64_t lsn) const;

private:
    struct Cut {
        std::uint64_t lsn = 0;
        std::uint32_t page_count = 0;
    };

    std::uint32_t page_count_;
    std::vector<Cut> cuts_;
    std::unordered_map<std::uint32_t, Change> changes_;
};

}  // namespace sim
