// Reads what is about to be overwritten, unless a cache hit is wanted: a fault that nobody has read would be lost with the page.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/users/page_region.hpp"

namespace sim {

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
