// What a ledger outside the storage demands of one data file, minus what the log takes back: pages that were cut off without the ledger's
// knowledge, and pages whose last write failed permanently.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

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
    void release(std::uint32_t page) { released_.insert(page); }
    void release_all() { limit_ = 0; }

    [[nodiscard]] Promises::Page operator[](std::uint32_t page) const {
        const bool is_void = promises_ == nullptr || page >= limit_ || released_.contains(page);
        return is_void ? Promises::Page{} : promises_->page(file_id_, page);
    }
    // The minimum page count of the file.
    [[nodiscard]] std::uint32_t page_count() const { return promises_ == nullptr ? 0 : std::min(promises_->page_count(file_id_), limit_); }
    // Something was taken back: a run that continues cannot rely on the ledger as it is.
    [[nodiscard]] bool is_less() const { return limit_ != ~std::uint32_t{0} || !released_.empty(); }

private:
    const Promises* promises_ = nullptr;
    std::uint32_t file_id_ = 0;
    std::uint32_t limit_ = ~std::uint32_t{0};
    std::set<std::uint32_t> released_;
};

}  // namespace sim
