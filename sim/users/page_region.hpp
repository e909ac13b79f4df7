// Where a user works next: a file, and a range of pages in it.
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

// A random file, weighted by size, and a range of random place and length in it; page counts are clamped to the file, and may be 0.
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

// Whether the file has lost pages of the region since it was chosen.
inline bool has_been_cut(const PageRegion& region) { return region.first_page + region.page_count > region.data->file.pages(); }

// Reads what is about to be overwritten, unless a cache hit is drawn: a fault that was never read would be lost with the page.
inline ums::Task<void> read_old_contents(RunContext& context, RangeReader& reader, ums::Prng& prng, const PageRegion& region,
                                         WorkCounters& counters) {
    if (prng.chance(context.options.cache_hit_ratio)) co_return;
    const std::uint32_t step = context.transfer_pages_max();
    for (std::uint32_t done = 0; done < region.page_count; done += step) {
        const std::uint32_t count = std::min(step, region.page_count - done);
        const std::uint32_t pages = co_await reader.read(*region.data, region.first_page + done, count, {.keep = true});
        WorkCounters::add(counters.pages_read, pages);
    }
}

}  // namespace sim
