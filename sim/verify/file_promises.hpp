// What a ledger outside the storage demands of one data file, minus what the log takes back: pages that were cut off without the ledger's
// knowledge, and pages whose last write failed permanently.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "sim/page/log_layout.hpp"
#include "sim/promises/promises.hpp"

namespace sim {

class FilePromises {
public:
    // Nothing is demanded.
    FilePromises() = default;
    // `promises` must outlive the object.
    FilePromises(const Promises& promises, std::uint32_t file_id) : promises_(&promises), file_id_(file_id) {}

    // The log says that the file was cut to `pages`, at this LSN.
    void cut(std::uint64_t lsn, std::uint32_t pages) {
        if (promises_ == nullptr || lsn <= promises_->cut_lsn(file_id_)) return;
        limit_ = std::min(limit_, pages);
    }
    // A part of the log that is missing may say that the file was cut to `pages`, and grew again. What was promised about the pages beyond
    // holds for those that are not new; see ProvenPage::may_be_cut_off.
    void may_have_been_cut(std::uint32_t pages) { certain_pages_ = std::min(certain_pages_, pages); }
    // Nothing was promised from this page on.
    void release_from(std::uint32_t page) { limit_ = std::min(limit_, page); }
    // Nothing was promised about the page up to this version. 0: it had none yet, so the log takes nothing back. But a log of format 3 or
    // before may have 0 for any version, and then nothing is promised at all.
    void release(std::uint32_t page, std::uint32_t version, std::uint16_t log_format) {
        if (version == 0 && log_format > kLogFormatOfPlaces) return;
        std::uint32_t& newest = released_[page];
        newest = std::max(newest, version == 0 ? ~std::uint32_t{0} : version);
    }
    void release_all() { limit_ = 0; }

    [[nodiscard]] Promises::Page operator[](std::uint32_t page) const {
        if (promises_ == nullptr || page >= limit_) return {};
        const Promises::Page promised = promises_->page(file_id_, page);
        const auto released = released_.find(page);
        const bool is_void = released != released_.end() && promised.version <= released->second;
        return is_void ? Promises::Page{} : promised;
    }
    // The minimum page count of the file.
    [[nodiscard]] std::uint32_t page_count() const {
        return promises_ == nullptr ? 0 : std::min({promises_->page_count(file_id_), limit_, certain_pages_});
    }
    // Something was taken back: a run that continues cannot rely on the ledger as it is.
    [[nodiscard]] bool is_less() const { return std::min(limit_, certain_pages_) != ~std::uint32_t{0} || !released_.empty(); }

private:
    const Promises* promises_ = nullptr;
    std::uint32_t file_id_ = 0;
    std::uint32_t limit_ = ~std::uint32_t{0};
    std::uint32_t certain_pages_ = ~std::uint32_t{0};
    std::map<std::uint32_t, std::uint32_t> released_;  // by page: up to which version
};

}  // namespace sim
