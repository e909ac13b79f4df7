#include "sim/buffer/snapshot.hpp"
#include "sim/users/page_region.hpp"
#include "sim/users/user_pace.hpp"
#include "sim/users/users.hpp"

namespace sim {

namespace {

// Like DBCC, through a snapshot if there is one.
ums::Task<std::uint32_t> read(RangeReader& reader, const PageRegion& region, std::uint32_t count) {
    Snapshot* const snapshot = region.data->snapshot;
    if (snapshot != nullptr && snapshot->pages() > 0) co_return co_await snapshot->read(reader, region.first_page, count);
    co_return co_await reader.read(*region.data, region.first_page, count, {.keep = false});
}

}  // namespace

ums::Task<void> run_audit_user(RunContext& context, std::uint64_t seed) {
    const AuditUserOptions& options = context.options.audit_user;
    ums::Prng prng(seed);
    RangeReader reader = context.make_reader();
    UserPace pace(context, options.delay_after_cycles, options.delay_ms);
    PageRegion region = choose_region(context, prng, 1, 1);
    do {
        // Every page is read from disk, even if it is in memory, and none stays in the pool because of the audit.
        const std::uint32_t pages = co_await read(reader, region, options.buffers_validated_pages);
        WorkCounters::add(context.audit_user.pages_read, pages);
        WorkCounters::add(context.audit_user.cycles, 1);
        region.first_page += options.buffers_validated_pages;
        if (region.first_page >= region.data->file.pages()) {
            region = choose_region(context, prng, 1, 1);
            region.first_page = 0;
        }
    } while (co_await pace.next_cycle());
}

}  // namespace sim
