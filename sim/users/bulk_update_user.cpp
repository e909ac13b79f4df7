#include "sim/users/bulk_writer.hpp"
#include "sim/users/page_region.hpp"
#include "sim/users/user_pace.hpp"
#include "sim/users/users.hpp"

namespace sim {

namespace {

// What is about to be written over is read first, unless the cache is to be hit: a fault that nobody has read would be lost with the page.
ums::Task<void> read_old_contents(RunContext& context, RangeReader& reader, ums::Prng& prng, const PageRegion& region) {
    if (prng.chance(context.options.cache_hit_ratio)) co_return;
    const std::uint32_t step = context.transfer_pages_max();
    for (std::uint32_t done = 0; done < region.page_count; done += step) {
        const std::uint32_t count = std::min(step, region.page_count - done);
        const std::uint32_t pages = co_await reader.read(*region.data, region.first_page + done, count, {.keep = true});
        WorkCounters::add(context.bulk_update_user.pages_read, pages);
    }
}

}  // namespace

ums::Task<void> run_bulk_update_user(RunContext& context, std::uint64_t seed) {
    const BulkUpdateUserOptions& options = context.options.bulk_update_user;
    ums::Prng prng(seed);
    RangeReader reader = context.make_reader();
    BulkWriter bulk(context, context.bulk_update_user, ums::mix64(seed));
    UserPace pace(context, options.delay_after_cycles, options.delay_ms);
    do {
        const PageRegion region = choose_region(context, prng, options.min_pages, options.max_pages);
        if (region.page_count > 0) {
            co_await read_old_contents(context, reader, prng, region);
            const std::uint64_t lsn = co_await bulk.update(*region.data, region.first_page, region.page_count);
            if (lsn != 0) co_await context.log.harden(lsn);
            co_await bulk.write(*region.data, region.first_page, region.page_count);
        }
        WorkCounters::add(context.bulk_update_user.cycles, 1);
    } while (co_await pace.next_cycle());
}

}  // namespace sim
