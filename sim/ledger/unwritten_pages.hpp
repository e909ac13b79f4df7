// Pages of a file whose write failed permanently. That was reported, and the run continues: so a checkpoint ends without them, and must say
// so in the log; otherwise a verification after a crash would blame the storage for losing what it never acknowledged. If there are more
// than kUnwrittenPagesMax, they are not kept individually. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sim/ledger/page_ledger.hpp"
#include "sim/limits.hpp"
#include "ums/base/spinlock.hpp"

namespace sim {

class UnwrittenPages {
public:
    void add(std::uint32_t page) {
        const std::lock_guard guard(lock_);
        keep(page);
    }

    // Drops those that have been written since, according to the ledger. One task at a time, as for find(). `are_too_many`: there are more
    // than `pages` lists. `page_count`: of the file.
    struct Listed {
        std::vector<std::uint32_t> pages;
        bool are_too_many = false;
    };
    [[nodiscard]] Listed list(const PageLedger& ledger, std::uint32_t page_count) {
        {
            const std::lock_guard guard(lock_);
            std::erase_if(pages_, [&ledger](std::uint32_t page) { return ledger[page].unknown == 0; });
            if (!are_too_many_) return {pages_, false};
        }
        find(ledger, page_count);  // those that were not kept may have been written, too
        const std::lock_guard guard(lock_);
        return {pages_, are_too_many_};
    }

    // Instead of what was added: all pages that are unknown according to the ledger.
    void find(const PageLedger& ledger, std::uint32_t page_count) {
        {
            const std::lock_guard guard(lock_);
            pages_.clear();
            are_too_many_ = false;
        }
        const Listed found = unknown_pages(ledger, page_count);
        const std::lock_guard guard(lock_);
        for (const std::uint32_t page : found.pages) keep(page);
        are_too_many_ = are_too_many_ || found.are_too_many;
    }

private:
    void keep(std::uint32_t page) {
        if (std::find(pages_.begin(), pages_.end(), page) != pages_.end()) return;
        if (pages_.size() == kUnwrittenPagesMax) {
            are_too_many_ = true;
        } else {
            pages_.push_back(page);
        }
    }

    // Walks through the entire ledger, so without the lock.
    static Listed unknown_pages(const PageLedger& ledger, std::uint32_t page_count) {
        constexpr std::uint32_t kStepPages = 128;
        Listed found;
        for (std::uint64_t first = 0; first < page_count; first += kStepPages) {
            const auto begin = static_cast<std::uint32_t>(first);
            const std::uint32_t end = begin + std::min(kStepPages, page_count - begin);
            if (ledger.is_untouched(begin, end - begin)) continue;
            for (std::uint32_t page = begin; page < end; ++page) {
                if (ledger[page].unknown == 0) continue;
                if (found.pages.size() == kUnwrittenPagesMax) {
                    found.are_too_many = true;
                    return found;
                }
                found.pages.push_back(page);
            }
        }
        return found;
    }

    ums::Spinlock lock_;
    std::vector<std::uint32_t> pages_;
    bool are_too_many_ = false;
};

}  // namespace sim
