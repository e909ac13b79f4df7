#include "sim/users/bulk_writer.hpp"
#include "sim/users/page_region.hpp"
#include "sim/users/user_pace.hpp"
#include "sim/users/users.hpp"

namespace sim {

ums::Task<void> run_bulk_update_user(RunContext& context, std::uint64_t seed) {
    const BulkUpdateUserOptions& options = context.options.bulk_update_user;
    if (options.max_pages == 0) co_return;  // would only burn CPU
    ums::Prng prng(seed);
    RangeReader reader = context.make_reader();
    BulkWriter bulk(context, context.bulk_update_user, ums::mix64(seed));
    UserPace pace(context, options.delay_after_cycles, options.delay_ms);
    do {
        const PageRegion region = choose_region(context, prng, options.min_pages, options.max_pages);
        if (region.page_count > 0) {
            co_await read_old_contents(context, reader, prng, region, context.bulk_update_user);
            const std::uint64_t lsn = co_await bulk.update(*region.data, region.first_page, region.page_count);
            if (lsn != 0) co_await context.log.harden(lsn);
            co_await bulk.write(*region.data, region.first_page, region.page_count);
        }
        WorkCounters::add(context.bulk_update_user.cycles, 1);
    } while (co_await pace.next_cycle());
}

}  // namespace sim
