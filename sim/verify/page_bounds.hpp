// What the log proves about each page of a data file: the oldest and the newest version that it may have. Takes the records of the log's
// unbroken row of blocks, in order; docs/durability.md explains why a page must stay within the bounds. 8 bytes for each page.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim {

class PageBounds {
public:
    struct Bound {
        std::uint32_t least = 0;             // the page must have at least this version; 0: may never have been written
        std::uint32_t newest : 29 = 0;       // the last version that the log knows; 0: the log does not mention the page
        std::uint32_t has_changed : 1 = 0;   // after the checkpoint's begin: a write may have been in flight at the cut
        std::uint32_t is_released : 1 = 0;   // nothing is promised about the page
        std::uint32_t is_any_legal : 1 = 0;  // nor does `newest` limit it: what stands there may be from before a cut of the file
    };
    static_assert(sizeof(Bound) == 8);

    // `begin_lsn`: where the last complete checkpoint began; 0: there is none. `page_count`: of the file as it is; what the log says about
    // pages beyond its end is ignored. `is_made`: the file was complete, and its signature page is promised.
    PageBounds(std::uint64_t begin_lsn, std::uint32_t page_count, bool is_made);

    // The record of a change with this LSN.
    void changed(std::uint64_t lsn, std::uint32_t page, std::uint32_t version);
    // A file_resize.
    void resized(std::uint64_t lsn, std::uint32_t page_count);
    // The checkpoint promises nothing about the page.
    void release(std::uint32_t page);
    // The checkpoint promises nothing about any page.
    void release_all();
    // Records are missing, so that newer versions than those that are known are legal.
    void allow_any();
    // A part of the log that is missing may say that the file was cut down to so many pages.
    void may_have_been_cut(std::uint32_t page_count) { hidden_cut_from_ = page_count; }

    [[nodiscard]] Bound operator[](std::uint32_t page) const { return bounds_.at(page); }
    // The minimum page count of the file.
    [[nodiscard]] std::uint32_t promised_pages() const { return promised_pages_; }
    // The file had this many pages when the checkpoint began.
    void had_pages(std::uint32_t page_count) {
        had_at_some_time(page_count);
        if (!is_resized()) promised_pages_ = page_count;
    }
    // The log says that the file once had this many pages.
    void had_at_some_time(std::uint32_t page_count) { least_pages_ = least_pages_ == 0 ? page_count : std::min(least_pages_, page_count); }
    // The fewest that it had, as far as the log that is there says; 0: it says nothing.
    [[nodiscard]] std::uint32_t least_pages() const { return least_pages_; }
    // After the checkpoint began.
    [[nodiscard]] bool is_resized() const { return is_resized_; }
    // From here on, pages may differ from what the checkpoint summed, because the file was cut after it began.
    [[nodiscard]] std::uint32_t cut_from() const { return cut_from_; }
    // From here on, pages may have been cut off without a word in the log that is there, and be new since: zeros.
    [[nodiscard]] std::uint32_t hidden_cut_from() const { return hidden_cut_from_; }

private:
    const std::uint64_t begin_lsn_;
    std::vector<Bound> bounds_;
    std::uint32_t promised_pages_ = 0;
    std::uint32_t least_pages_ = 0;
    bool is_resized_ = false;
    std::uint32_t cut_from_ = ~std::uint32_t{0};
    std::uint32_t hidden_cut_from_ = ~std::uint32_t{0};
};

}  // namespace sim
