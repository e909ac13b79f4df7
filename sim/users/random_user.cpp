#include <algorithm>

#include "sim/users/page_region.hpp"
#include "sim/users/user_pace.hpp"
#include "sim/users/users.hpp"
#include "ums/base/cpu_cycles.hpp"

namespace sim {

namespace {

class RandomUser {
public:
    RandomUser(RunContext& context, std::uint64_t seed)
        : context_(context),
          options_(context.options.random_user),
          simulates_cpu_(options_.cpu_simulation && context.journal.clock().is_real()),
          prng_(seed),
          writer_(context.make_writer(OnStop::abandon_with_users)) {}

    ums::Task<void> run() {
        if (options_.max_io_chain_pages == 0) co_return;  // would only burn CPU
        UserPace pace(context_, 1, options_.sleep_after_ms);
        do {
            // A region without pages (MinIOChainLength=0) lasts for one cycle, one that has been cut no longer.
            if (region_.page_count == 0 || has_been_cut(region_) || prng_.chance(options_.jump_to_new_region_chance)) {
                region_ = choose_region(context_, prng_, options_.min_io_chain_pages, options_.max_io_chain_pages);
            }
            co_await transaction();
            WorkCounters::add(context_.random_user.cycles, 1);
        } while (co_await pace.next_cycle());
    }

private:
    // A chain of pages of the region in random order, then the commit.
    ums::Task<void> transaction() {
        std::uint64_t commit_lsn = 0;
        for (std::uint32_t i = 0; i < region_.page_count && !context_.run.users_must_stop(); ++i) {
            const auto page = region_.first_page + static_cast<std::uint32_t>(prng_.below(region_.page_count));
            if (prng_.chance(options_.read_write_ratio)) {
                commit_lsn = std::max(commit_lsn, co_await update(page));
            } else {
                co_await inspect(page);
            }
            if (simulates_cpu_) co_await simulate_cpu();
            if (prng_.chance(options_.yield_chance)) {
                co_await ums::Scheduler::current().yield();
            } else {
                co_await ums::Scheduler::current().yield_if_due();
            }
        }
        if (commit_lsn != 0) co_await context_.log.harden(commit_lsn);
    }

    ums::Task<void> inspect(std::uint32_t page) {
        const FixedPage fixed = co_await context_.buffers.fix(*region_.data, page, FixIntent::look, prng_, &writer_);
        if (fixed) WorkCounters::add(context_.random_user.pages_read, 1);
    }

    // Returns the LSN of the change, or 0 if there was none.
    ums::Task<std::uint64_t> update(std::uint32_t page) {
        const std::uint64_t log_bytes = prng_.between(options_.min_log_per_buffer_bytes, options_.max_log_per_buffer_bytes);
        const bool rolls_back = prng_.chance(options_.rollback_chance);
        LogReservation reservation = co_await context_.log.space().reserve(log_bytes);
        if (!reservation) co_return 0;
        const FixedPage fixed = co_await context_.buffers.fix(*region_.data, page, FixIntent::change, prng_, &writer_);
        if (!fixed) co_return 0;
        if (rolls_back) {
            // The change and its undoing happen in memory and cancel out: nothing is logged and nothing becomes dirty.
            WorkCounters::add(context_.random_user.rollbacks, 1);
            co_return 0;
        }
        Frame& frame = fixed.frame();
        const std::uint32_t version = BufferManager::change(*region_.data, frame);
        const std::uint64_t lsn =
            co_await context_.log.append(reservation, {LogRecordKind::page_update, region_.data->file.id(), page, version}, log_bytes);
        BufferManager::logged(frame, lsn);
        WorkCounters::add(context_.random_user.pages_updated, 1);
        WorkCounters::add(context_.random_user.log_bytes, log_bytes);
        co_return lsn;
    }

    // In small pieces, because it may be minutes of work: others need the scheduler meanwhile, and the main run must end.
    ums::Task<void> simulate_cpu() {
        constexpr std::uint64_t kPieceCycles = 1'000'000;
        std::uint64_t left = prng_.between(options_.cpu_cycles_min, options_.cpu_cycles_max);
        while (left > 0 && !context_.run.users_must_stop()) {
            const std::uint64_t piece = std::min(left, kPieceCycles);
            ums::burn_cpu_cycles(piece);
            left -= piece;
            co_await ums::Scheduler::current().yield_if_due();
        }
    }

    RunContext& context_;
    const RandomUserOptions& options_;
    const bool simulates_cpu_;  // no time passes for it on a virtual clock
    ums::Prng prng_;
    PageWriter writer_;
    PageRegion region_;
};

}  // namespace

ums::Task<void> run_random_user(RunContext& context, std::uint64_t seed) {
    RandomUser user(context, seed);
    co_await user.run();
}

}  // namespace sim
