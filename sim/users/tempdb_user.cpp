#include <algorithm>
#include <vector>

#include "sim/context/tempdb_space.hpp"
#include "sim/users/user_pace.hpp"
#include "sim/users/users.hpp"

namespace sim {

namespace {

constexpr std::uint32_t kSpillUnitKb = kExtentPages * kPageBytes / 1024;

class TempdbUser {
public:
    TempdbUser(RunContext& context, std::uint64_t seed)
        : context_(context),
          options_(context.options.tempdb_user),
          prng_(seed),
          reader_(context.make_reader()),
          // 64 KB a request; what is written is not kept in memory.
          writer_({context.run_id, kExtentPages, context.options.use_scatter_gather, context.options.merge_buffers,
                   OnStop::abandon_with_users, nullptr},
                  context.buffers.pool(), &context.log, context.run, context.journal) {}

    ums::Task<void> run() {
        UserPace pace(context_, options_.delay_after_cycles, options_.delay_ms);
        do {
            const auto extents = prng_.between(options_.min_spill_kb / kSpillUnitKb, options_.max_spill_kb / kSpillUnitKb);
            co_await spill(extents);
            co_await merge();
            co_await release();
            WorkCounters::add(context_.tempdb_user.cycles, 1);
        } while (co_await pace.next_cycle());
    }

private:
    // The runs of a sort, each written as soon as it is complete.
    ums::Task<void> spill(std::uint64_t extents) {
        for (std::uint64_t i = 0; i < extents && !context_.run.users_must_stop(); ++i) {
            const std::optional<TempdbExtent> extent = context_.tempdb->take();
            if (!extent) break;
            taken_.push_back(*extent);
            co_await note_allocation(*extent);
            for (std::uint32_t page = extent->first_page; page < extent->first_page + kExtentPages; ++page) {
                const FixedPage fixed = co_await context_.buffers.fix(*extent->data, page, FixIntent::overwrite, prng_);
                if (!fixed) continue;
                BufferManager::change(*extent->data, fixed.frame());
                WorkCounters::add(context_.tempdb_user.pages_updated, 1);
            }
            co_await write(*extent);
            co_await ums::Scheduler::current().yield_if_due();
        }
    }

    ums::Task<void> write(const TempdbExtent& extent) {
        const std::uint32_t end_page = extent.first_page + kExtentPages;
        for (std::uint32_t page = extent.first_page; page < end_page && !context_.run.users_must_stop();) {
            const PageWriter::Written written = co_await writer_.write_around(*extent.data, page, true);
            page = std::max(page + 1, written.end_page);
        }
    }

    // Nothing is logged: allocations in tempdb do not survive a crash. A change takes a version only if the last one has been written:
    // hardly anything is changed as often as this page, and its versions would not last for a run of days.
    ums::Task<void> note_allocation(const TempdbExtent& extent) {
        const FixedPage fixed = co_await context_.buffers.fix(*extent.data, TempdbSpace::kAllocationPage, FixIntent::change, prng_);
        if (fixed && !fixed.frame().dirty.load(std::memory_order_relaxed)) BufferManager::change(*extent.data, fixed.frame());
    }

    // Reads the runs back in random order.
    ums::Task<void> merge() {
        for (std::size_t left = taken_.size(); left > 0 && !context_.run.users_must_stop(); --left) {
            std::swap(taken_[prng_.below(left)], taken_[left - 1]);
            const TempdbExtent& extent = taken_[left - 1];
            const std::uint32_t pages = co_await reader_.read(*extent.data, extent.first_page, kExtentPages, {.keep = false});
            WorkCounters::add(context_.tempdb_user.pages_read, pages);
        }
    }

    ums::Task<void> release() {
        for (const TempdbExtent& extent : taken_) {
            if (!context_.run.users_must_stop()) co_await note_allocation(extent);
            context_.tempdb->give_back(extent);
        }
        taken_.clear();
    }

    RunContext& context_;
    const TempdbUserOptions& options_;
    ums::Prng prng_;
    RangeReader reader_;
    PageWriter writer_;
    std::vector<TempdbExtent> taken_;
};

}  // namespace

ums::Task<void> run_tempdb_user(RunContext& context, std::uint64_t seed) {
    TempdbUser user(context, seed);
    co_await user.run();
}

}  // namespace sim
