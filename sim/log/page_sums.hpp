// What a checkpoint records about all pages. Once the log is truncated, nothing else says how new a page must be: a write that the storage
// acknowledged and lost before the checkpoint would go unnoticed after a crash. A version for each page would be too much to log every
// second, so there are two sums for each region of pages: every change adds 1 to the version of its page, so a page that is too old can
// only make the sum of its region smaller, and the two sums together identify it if it is the only one, or one of two. The weights of the
// second sum are mixed from the pages' places: with the places themselves, two pages of which one version each is lost would look like one
// between them of which two are.
//
// Not thread-safe: the log manager changes the sums under the lock under which records get their LSNs, so a copy belongs to one LSN.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "sim/page/log_layout.hpp"

namespace sim {

// A data file in the sums.
struct SummedFile {
    std::uint32_t file_id = 0;
    std::uint32_t page_count = 0;  // that the log promises
    std::uint64_t pages_max = 0;
};

class PageSums {
public:
    // No file is summed.
    PageSums() = default;
    // All versions are 0 except that of page 0, the signature: 1. The sums of all files take at most `bytes_max`, unless a single region
    // for each file takes more. At most 4095 files.
    PageSums(std::span<const SummedFile> files, std::uint64_t bytes_max);

    // The record of a change to this page has got its LSN. Files that are not summed are ignored.
    void changed(std::uint32_t file_id, std::uint32_t page);

    struct File {
        std::uint32_t page_count = 0;
        std::vector<RegionSum> regions;
        // Cuts of the file in this incarnation, so that a keeper of promises can learn which pages were cut off.
        std::uint32_t least_pages = ~std::uint32_t{0};
        std::uint64_t cut_lsn = 0;  // of the last one; 0: there was none
    };
    // Returns the present version of a page.
    using VersionOf = std::function<std::uint32_t(std::uint32_t page)>;
    // The sums of the file for another number of pages: pages after it are forgotten, and those that remain in the region of the cut are
    // counted again. `recounts`: all pages are.
    [[nodiscard]] File resized(const File& file, std::uint32_t page_count, const VersionOf& version_of, bool recounts) const;
    // Replaces the file's sums; files that are not summed are ignored.
    void replace(std::uint32_t file_id, File file);
    // Empty if the file is not summed.
    [[nodiscard]] File file(std::uint32_t file_id) const;
    [[nodiscard]] const std::map<std::uint32_t, File>& files() const { return files_; }
    [[nodiscard]] std::uint32_t region_pages() const { return region_pages_; }
    // How much all sums take at their largest.
    [[nodiscard]] std::uint64_t bytes_max() const { return bytes_max_; }

private:
    void count_region(File& file, std::uint32_t region, const VersionOf& version_of) const;

    std::uint32_t region_pages_ = kRegionPagesMin;
    std::uint64_t bytes_max_ = 0;
    std::map<std::uint32_t, File> files_;
};

// Of a page in the second sum of its region, in a log of this format.
[[nodiscard]] std::uint64_t weight_in_region(std::uint16_t log_format, std::uint32_t region_pages, std::uint32_t page);

// Adds a page of this version to the sums of its region, as kLogFormat has them.
void add_to_region(RegionSum& sum, std::uint32_t region_pages, std::uint32_t page, std::uint32_t version);

}  // namespace sim
