// Where a user works next: a file, and a range of it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/context/run_context.hpp"
#include "ums/base/prng.hpp"

namespace sim {

struct PageRegion {
    DataFile* data = nullptr;
    std::uint32_t first_page = 0;
    std::uint32_t page_count = 0;
};

// A random file, weighted by size, and a range of random place and length in it; page counts are clamped to the file, and 0 is one of them.
// The file may shrink afterwards. Replicas and files of tempdb are not chosen.
inline PageRegion choose_region(RunContext& context, ums::Prng& prng, std::uint32_t pages_min, std::uint32_t pages_max) {
    std::uint64_t total_pages = 0;
    for (const auto& data : context.data_files) total_pages += data->is_apart ? 0 : data->file.pages();
    std::uint64_t point = prng.below(total_pages);
    PageRegion region;
    for (const auto& data : context.data_files) {
        if (data->is_apart) continue;
        region.data = data.get();
        if (point < data->file.pages()) break;
        point -= data->file.pages();
    }
    const std::uint32_t pages = region.data->file.pages();
    region.page_count = std::min(static_cast<std::uint32_t>(prng.between(pages_min, pages_max)), pages);
    region.first_page = static_cast<std::uint32_t>(prng.below(pages - region.page_count + 1));
    return region;
}

}  // namespace sim
