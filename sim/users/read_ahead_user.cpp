#include "sim/users/page_region.hpp"
#include "sim/users/user_pace.hpp"
#include "sim/users/users.hpp"

namespace sim {

ums::Task<void> run_read_ahead_user(RunContext& context, std::uint64_t seed) {
    const ReadAheadUserOptions& options = context.options.read_ahead_user;
    if (options.max_pages == 0) co_return;  // would only burn CPU
    ums::Prng prng(seed);
    RangeReader reader = context.make_reader();
    UserPace pace(context, options.delay_after_cycles, options.delay_ms);
    do {
        const PageRegion region = choose_region(context, prng, options.min_pages, options.max_pages);
        if (region.page_count > 0) {
            const std::uint32_t pages = co_await reader.read(*region.data, region.first_page, region.page_count,
                                                             {.read_present = context.options.force_read_ahead});
            WorkCounters::add(context.read_ahead_user.pages_read, pages);
        }
        WorkCounters::add(context.read_ahead_user.cycles, 1);
    } while (co_await pace.next_cycle());
}

}  // namespace sim
