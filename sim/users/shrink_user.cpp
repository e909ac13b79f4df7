#include <algorithm>
#include <vector>

#include "sim/context/file_resizer.hpp"
#include "sim/users/users.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

class ShrinkUser {
public:
    ShrinkUser(RunContext& context, std::uint64_t seed) : context_(context), options_(context.options.shrink_user), prng_(seed) {
        for (const auto& data : context.data_files) {
            const FileOptions& file = data->file.options();
            if (file.shrinkable && file.increment_mb != 0 && !data->is_apart) files_.push_back(data.get());
        }
    }

    ums::Task<void> run() {
        if (files_.empty()) co_return;
        std::uint64_t wait_ms = first_wait_ms();
        for (;;) {
            const std::uint64_t deadline_ns = context_.now_ns() + wait_ms * ums::kNsPerMs;
            if (co_await context_.run.users_stop().wait(ums::WaitType::sleep_task, deadline_ns)) co_return;
            co_await resize_one();
            WorkCounters::add(context_.shrink_user.cycles, 1);
            wait_ms = interval_ms();
        }
    }

private:
    [[nodiscard]] std::uint64_t interval_ms() {
        return prng_.between(std::uint64_t{options_.min_interval_s} * 1000, std::uint64_t{options_.max_interval_s} * 1000);
    }

    // A main run shorter than the intervals would never see a file shrink, so the first change comes within its first half.
    [[nodiscard]] std::uint64_t first_wait_ms() {
        const std::uint64_t half_ms = std::max<std::uint64_t>(context_.options.test_cycle_duration_s * 500, 1);
        return std::min(interval_ms(), prng_.below(half_ms) + 1);
    }

    // Shrinks by a random number of increments, or grows if there is nothing to cut off.
    ums::Task<void> resize_one() {
        DataFile& data = *files_[prng_.below(files_.size())];
        const FileOptions& file = data.file.options();
        const std::uint64_t step = file.increment_mb * ums::kMb * prng_.between(options_.min_extends, options_.max_extends);
        const std::uint64_t size = data.file.size_bytes();
        // What was asked for stays.
        const std::uint64_t floor = file.initial_size_mb * ums::kMb;
        const std::uint64_t ceiling = file.max_size_mb * ums::kMb;
        const std::uint64_t least = std::max(floor, size - std::min(size, step));
        const std::uint64_t smaller = context_.options.files_only_grow ? size : std::min(size, least);
        const std::uint64_t larger = std::min(ceiling, size + step);
        const bool shrink = (smaller < size && prng_.below(2) == 0) || larger <= size;
        const std::uint64_t target = shrink ? smaller : larger;
        if (target == size) co_return;
        FileResizer resizer(context_);
        co_await resizer.resize(data, target);
    }

    RunContext& context_;
    const ShrinkUserOptions& options_;
    ums::Prng prng_;
    std::vector<DataFile*> files_;
};

}  // namespace

ums::Task<void> run_shrink_user(RunContext& context, std::uint64_t seed) {
    ShrinkUser user(context, seed);
    co_await user.run();
}

}  // namespace sim
