#include <algorithm>

#include "sim/users/bulk_writer.hpp"
#include "sim/users/page_region.hpp"
#include "sim/users/user_pace.hpp"
#include "sim/users/users.hpp"

namespace sim {

namespace {

constexpr std::uint32_t kExtentKb = kExtentPages * kPageBytes / 1024;

class ColumnstoreUser {
public:
    ColumnstoreUser(RunContext& context, std::uint64_t seed)
        : context_(context),
          options_(context.options.columnstore_user),
          prng_(seed),
          reader_(context.make_reader()),
          bulk_(context, context.columnstore_user, ums::mix64(seed)) {}

    ums::Task<void> run() {
        UserPace pace(context_, options_.delay_after_cycles, options_.delay_ms);
        do {
            if (prng_.chance(options_.bulk_load_chance)) {
                co_await load_row_group();
            } else {
                co_await read_segment();
            }
            WorkCounters::add(context_.columnstore_user.cycles, 1);
        } while (co_await pace.next_cycle());
    }

private:
    // Whole extents, except at the end of a file.
    [[nodiscard]] std::uint32_t segment_pages() {
        const std::uint32_t extents_max = std::max(options_.max_segment_kb / kExtentKb, 1U);
        const std::uint32_t extents_min = std::clamp(options_.min_segment_kb / kExtentKb, 1U, extents_max);
        return static_cast<std::uint32_t>(prng_.between(extents_min, extents_max)) * kExtentPages;
    }

    // A range of a file that begins at an extent.
    [[nodiscard]] PageRegion choose_extents(std::uint32_t pages) {
        PageRegion region = choose_region(context_, prng_, pages, pages);
        region.first_page -= region.first_page % kExtentPages;
        return region;
    }

    ums::Task<void> read_segment() {
        const PageRegion segment = choose_extents(segment_pages());
        const std::uint32_t pages = co_await reader_.read(*segment.data, segment.first_page, segment.page_count, {.keep = false});
        WorkCounters::add(context_.columnstore_user.pages_read, pages);
    }

    // One segment for each column, one after the other.
    ums::Task<void> load_row_group() {
        const std::uint32_t pages = segment_pages();
        PageRegion segment = choose_extents(pages * options_.row_group_segments);
        const std::uint32_t end_page = segment.first_page + segment.page_count;
        while (segment.first_page < end_page && !context_.run.users_must_stop()) {
            segment.page_count = std::min(pages, end_page - segment.first_page);
            co_await read_old_contents(context_, reader_, prng_, segment, context_.columnstore_user);
            const std::uint64_t lsn = co_await bulk_.update(*segment.data, segment.first_page, segment.page_count);
            if (lsn != 0) co_await context_.log.harden(lsn);
            co_await bulk_.write(*segment.data, segment.first_page, segment.page_count);
            segment.first_page += segment.page_count;
        }
    }

    RunContext& context_;
    const ColumnstoreUserOptions& options_;
    ums::Prng prng_;
    RangeReader reader_;
    BulkWriter bulk_;
};

}  // namespace

ums::Task<void> run_columnstore_user(RunContext& context, std::uint64_t seed) {
    ColumnstoreUser user(context, seed);
    co_await user.run();
}

}  // namespace sim
