#include "sim/log/page_sums.hpp"

#include <algorithm>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/base/prng.hpp"

namespace sim {

namespace {

std::uint64_t regions_of(std::uint64_t pages, std::uint64_t region_pages) { return (pages + region_pages - 1) / region_pages; }

}  // namespace

std::uint64_t weight_in_region(std::uint16_t log_format, std::uint32_t region_pages, std::uint32_t page) {
    const std::uint64_t place = std::uint64_t{page % region_pages} + 1;
    return log_format <= kLogFormatOfPlaces ? place : ums::mix64(place);
}

void add_to_region(RegionSum& sum, std::uint32_t region_pages, std::uint32_t page, std::uint32_t version) {
    sum.versions += version;
    sum.weighted += weight_in_region(kLogFormat, region_pages, page) * version;
}

PageSums::PageSums(std::span<const SummedFile> files, std::uint64_t bytes_max) {
    const auto bytes_for = [&](std::uint64_t region_pages) {
        std::uint64_t regions = 0;
        for (const SummedFile& file : files) regions += regions_of(file.pages_max, region_pages);
        return regions * sizeof(RegionSum);
    };
    while (bytes_for(region_pages_) > bytes_max && region_pages_ < kRegionPagesMax) region_pages_ *= 2;
    bytes_max_ = bytes_for(region_pages_);
    for (const SummedFile& summed : files) {
        File& file = files_[summed.file_id];
        file.page_count = summed.page_count;
        file.regions.resize(regions_of(summed.pages_max, region_pages_));
        add_to_region(file.regions[0], region_pages_, 0, 1);
    }
}

void PageSums::changed(std::uint32_t file_id, std::uint32_t page) {
    const auto found = files_.find(file_id);
    if (found == files_.end()) return;
    UMS_ASSERT(page / region_pages_ < found->second.regions.size());
    add_to_region(found->second.regions[page / region_pages_], region_pages_, page, 1);
}

PageSums::File PageSums::resized(const File& file, std::uint32_t page_count, const VersionOf& version_of, bool recounts) const {
    File result = file;
    result.page_count = page_count;
    if (page_count >= file.page_count && !recounts) return result;
    for (std::size_t region = recounts ? 0 : page_count / region_pages_; region < result.regions.size(); ++region) {
        count_region(result, static_cast<std::uint32_t>(region), version_of);
    }
    return result;
}

void PageSums::replace(std::uint32_t file_id, File file) {
    const auto found = files_.find(file_id);
    if (found != files_.end()) found->second = std::move(file);
}

PageSums::File PageSums::file(std::uint32_t file_id) const {
    const auto found = files_.find(file_id);
    return found != files_.end() ? found->second : File{};
}

void PageSums::count_region(File& file, std::uint32_t region, const VersionOf& version_of) const {
    file.regions[region] = {};
    const std::uint64_t begin = std::uint64_t{region} * region_pages_;
    const std::uint64_t end = std::min<std::uint64_t>(begin + region_pages_, file.page_count);
    for (std::uint64_t page = begin; page < end; ++page) {
        const auto number = static_cast<std::uint32_t>(page);
        add_to_region(file.regions[region], region_pages_, number, version_of(number));
    }
}

}  // namespace sim
