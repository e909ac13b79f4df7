#include <algorithm>
#include <deque>

#include "sim/users/bulk_writer.hpp"
#include "sim/users/page_region.hpp"
#include "sim/users/user_pace.hpp"
#include "sim/users/users.hpp"

namespace sim {

namespace {

class VersionStoreUser {
public:
    VersionStoreUser(RunContext& context, std::uint64_t seed)
        : context_(context),
          options_(context.options.version_store_user),
          prng_(seed),
          reader_(context.make_reader()),
          bulk_(context, context.version_store_user, ums::mix64(seed)) {
        begin_store();
    }

    ums::Task<void> run() {
        UserPace pace(context_, options_.delay_after_cycles, options_.delay_ms);
        do {
            if (has_been_cut(store_)) begin_store();
            co_await free_old_versions();
            co_await leave_versions();
            co_await read_version();
            WorkCounters::add(context_.version_store_user.cycles, 1);
        } while (co_await pace.next_cycle());
    }

private:
    // The versions of one transaction; they may wrap around the end of the store.
    struct Versions {
        std::uint32_t begin = 0;  // in the store
        std::uint32_t count = 0;
        std::uint64_t free_ns = 0;  // when they are no longer needed
    };

    void begin_store() {
        store_ = choose_region(context_, prng_, options_.store_pages, options_.store_pages);
        live_.clear();
        next_ = 0;
    }

    [[nodiscard]] std::uint32_t used_pages() const {
        std::uint32_t pages = 0;
        for (const Versions& versions : live_) pages += versions.count;
        return pages;
    }

    // The cleaner: it verifies each page before it frees it.
    ums::Task<void> free_old_versions() {
        while (!live_.empty() && live_.front().free_ns <= context_.now_ns() && !context_.run.users_must_stop()) {
            const Versions old = live_.front();
            const std::uint32_t step = context_.transfer_pages_max();
            for (std::uint32_t done = 0; done < old.count;) {
                const std::uint32_t at = (old.begin + done) % store_.page_count;
                const std::uint32_t count = std::min({step, old.count - done, store_.page_count - at});
                const std::uint32_t pages = co_await reader_.read(*store_.data, store_.first_page + at, count, {.keep = false});
                WorkCounters::add(context_.version_store_user.pages_read, pages);
                done += count;
            }
            live_.pop_front();
        }
    }

    // They are logged and hardened with the transaction; checkpoint and lazy writer write them.
    ums::Task<void> leave_versions() {
        const auto wanted = static_cast<std::uint32_t>(prng_.between(options_.min_pages, options_.max_pages));
        const std::uint32_t count = std::min(wanted, store_.page_count);
        if (store_.page_count - used_pages() < count) {
            co_await context_.run.users_stop().wait(ums::WaitType::sleep_task, live_.front().free_ns);
            co_return;
        }
        std::uint64_t commit_lsn = 0;
        for (std::uint32_t done = 0; done < count;) {
            const std::uint32_t at = (next_ + done) % store_.page_count;
            const std::uint32_t part = std::min(count - done, store_.page_count - at);
            const std::uint64_t lsn = co_await bulk_.update(*store_.data, store_.first_page + at, part);
            commit_lsn = std::max(commit_lsn, lsn);
            done += part;
        }
        if (commit_lsn != 0) co_await context_.log.harden(commit_lsn);
        live_.push_back({next_, count, context_.now_ns() + std::uint64_t{options_.retention_ms} * ums::kNsPerMs});
        next_ = (next_ + count) % store_.page_count;
    }

    // The work of a reader of an older snapshot of the rows.
    ums::Task<void> read_version() {
        if (live_.empty() || context_.run.users_must_stop()) co_return;
        const Versions& versions = live_[prng_.below(live_.size())];
        const auto offset = static_cast<std::uint32_t>(prng_.below(versions.count));
        const std::uint32_t page = store_.first_page + (versions.begin + offset) % store_.page_count;
        const FixedPage fixed = co_await context_.buffers.fix(*store_.data, page, FixIntent::look, prng_);
        if (fixed) WorkCounters::add(context_.version_store_user.pages_read, 1);
    }

    RunContext& context_;
    const VersionStoreUserOptions& options_;
    ums::Prng prng_;
    RangeReader reader_;
    BulkWriter bulk_;
    PageRegion store_;
    std::uint32_t next_ = 0;     // page of the store
    std::deque<Versions> live_;  // oldest first
};

}  // namespace

ums::Task<void> run_version_store_user(RunContext& context, std::uint64_t seed) {
    VersionStoreUser user(context, seed);
    co_await user.run();
}

}  // namespace sim
