// Compares what the last complete checkpoint recorded about entire regions of pages with the pages as they are: the only proof of how new a
// page must be once its log is truncated. docs/log_format.md ("What a checkpoint records") has the arithmetic.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/page/log_layout.hpp"

namespace sim {

// Of one data file.
class RegionSums {
public:
    // As a log of this format has them.
    explicit RegionSums(std::uint16_t log_format = kLogFormat) : log_format_(log_format) {}

    // Takes a checkpoint_sums record of the file. Before any page is added. False if it does not fit the previous ones.
    bool record(const LogRecordHeader& header, std::span<const std::byte> body);

    // The version that a page had when the checkpoint began. Any thread; each page once.
    void add(std::uint32_t page, std::uint32_t version);
    // Nothing can be said about the page: its region is not compared. Any thread.
    void skip(std::uint32_t page);
    // The same for all regions from this page's on.
    void skip_from(std::uint32_t page);

    [[nodiscard]] std::uint32_t page_count() const { return page_count_; }
    [[nodiscard]] std::uint32_t region_pages() const { return region_pages_; }
    [[nodiscard]] bool covers(std::uint32_t page) const { return page < page_count_; }

    // Whether a page of its region had not been written yet when the checkpoint began: each one that had been counts at least 1, and page
    // 0, which has version 1 as the signature of the file, at least 2. False if no sum of the region is known.
    [[nodiscard]] bool has_unwritten(std::uint32_t page) const;

    struct Mismatch {
        std::uint32_t first_page = 0;
        std::uint32_t page_count = 0;
        std::uint64_t missing_versions = 0;  // modulo 2^64: "negative" if the pages are newer than they can be
        std::uint64_t missing_weighted = 0;  // likewise, of the second sum
        // The one that is too old, if there is only one. Sums of an old log (kLogFormatOfPlaces) may also name one between several.
        std::optional<std::uint32_t> page;
        [[nodiscard]] bool is_too_new() const { return missing_versions >> 63 != 0; }
    };
    struct Comparison {
        std::uint32_t compared = 0;  // regions
        std::uint32_t skipped = 0;
        std::vector<Mismatch> mismatches;
    };
    // After all pages have been added or skipped.
    [[nodiscard]] Comparison compare() const;

    // A page that is too old, and by how many versions.
    struct Lacking {
        std::uint32_t page = 0;
        std::uint32_t versions = 0;
    };
    using Pair = std::array<Lacking, 2>;
    using MayLack = std::function<bool(const Lacking&)>;
    // The two pages that are too old, if there are only two: of all pairs of which both may lack what they would have to, exactly one
    // explains both sums. Not searched in sums of an old log, nor where one might do so by chance.
    [[nodiscard]] std::optional<Pair> pair_that_lacks(const Mismatch& mismatch, const MayLack& may_lack) const;

    // The pages of this region are about to be added, or skipped, once more.
    void begin_again(const Mismatch& mismatch);
    // After that.
    [[nodiscard]] bool is_skipped(const Mismatch& mismatch) const { return regions_.at(mismatch.first_page / region_pages_).is_skipped; }
    // Nothing if the sums agree now. A region that is not skipped.
    [[nodiscard]] std::optional<Mismatch> compare_again(const Mismatch& mismatch) const;

private:
    struct Region {
        RegionSum recorded{};
        std::atomic<std::uint64_t> versions{0};
        std::atomic<std::uint64_t> weighted{0};
        std::atomic<bool> is_skipped{false};
    };
    [[nodiscard]] Region* region_of(std::uint32_t page);
    [[nodiscard]] std::optional<Mismatch> mismatch_of(std::uint32_t number, const Region& region) const;
    [[nodiscard]] std::optional<std::uint32_t> page_that_lacks(const Mismatch& mismatch) const;
    [[nodiscard]] std::optional<Pair> divided_among(std::uint32_t first, std::uint32_t second, const Mismatch& mismatch) const;

    const std::uint16_t log_format_;
    std::uint32_t page_count_ = 0;
    std::uint32_t region_pages_ = 0;
    std::map<std::uint32_t, Region> regions_;  // those that were recorded, by number: the page count comes from the disk
};

}  // namespace sim
