#include "sim/log/log_growth.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "sim/files/file_stamper.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/files/transfer_failure.hpp"
#include "ums/base/units.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {
namespace {

using ums::kMb;

constexpr std::uint64_t kInstantBytesMax = 64 * ums::kMb;
constexpr std::uint64_t kEightVlfsBytesMax = 1024 * ums::kMb;
constexpr std::uint64_t kRefusedPauseNs = ums::kNsPerSecond;

bool has_room_to_grow(const SimFile& file) {
    const FileOptions& options = file.options();
    const bool may_grow = options.increment_mb != 0 && !file.has_part_of_growth;
    return may_grow && file.size_bytes() + options.increment_mb * kMb <= options.max_size_mb * kMb;
}

ums::Task<void> stamp_part(SimFile& file, const VlfPlace& part, RunState& run, Journal& journal, std::error_code& first_error) {
    const std::error_code error = co_await stamp_zeros(file, run, journal, part.offset_bytes, part.offset_bytes + part.size_bytes);
    if (error && !first_error) first_error = error;
}

ums::Task<std::error_code> stamp_parts(SimFile& file, std::span<const VlfPlace> parts, RunState& run, Journal& journal) {
    std::error_code error;
    ums::TaskGroup tasks;
    for (const VlfPlace& part : parts) ums::Scheduler::current().fork(tasks, stamp_part(file, part, run, journal, error));
    co_await tasks.join();
    co_return error;
}

}  // namespace

std::uint32_t vlfs_of_large_growth(std::uint64_t growth_bytes) {
    if (growth_bytes <= kInstantBytesMax) return 1;
    return growth_bytes <= kEightVlfsBytesMax ? 8 : 16;
}

GrowthPlan plan_growth(bool is_instant, std::uint64_t growth_bytes, std::uint64_t log_bytes) {
    if (!is_instant) return {};
    if (growth_bytes <= kInstantBytesMax) return {.is_zeroed = false, .vlfs = 1};
    return {.is_zeroed = true, .vlfs = growth_bytes < log_bytes / 8 ? 1 : vlfs_of_large_growth(growth_bytes)};
}

ums::Task<std::error_code> lengthen_log(SimFile& file, std::uint64_t new_bytes, GrowthPlan plan, RunState& run, Journal& journal) {
    const std::uint64_t old_bytes = file.size_bytes();
    co_await file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    std::error_code error = co_await file.resize(new_bytes);
    if (!error && plan.is_zeroed) {
        std::vector<VlfPlace> parts{{&file, old_bytes, new_bytes - old_bytes}};
        if (plan.vlfs > 1) parts = divide_growth(file, old_bytes, new_bytes - old_bytes, plan.vlfs);
        error = co_await stamp_parts(file, parts, run, journal);
    }
    if (!error && file.requests_durability()) {
        error = co_await file.sync();  // a crash must not cut off the part of the file in which the log continues
        // No later sync tells what of the log is lost.
        if (error) co_await end_run_unsynced(file, error, run, journal);
    }
    // When space ran out, the system may have allocated a part.
    if (error) static_cast<void>(co_await file.resize(old_bytes));
    file.resize_latch().release_exclusive();
    co_return error;
}

// Files may lie on different disks, of which one is full.
SimFile* LogGrowth::growable_file() const {
    for (const auto& file : files_) {
        if (has_room_to_grow(*file) && !was_refused(*file)) return file.get();
    }
    const auto next = std::find_if(refused_.begin(), refused_.end(), [](const SimFile* file) { return has_room_to_grow(*file); });
    return next == refused_.end() ? nullptr : *next;
}

bool LogGrowth::was_refused(const SimFile& file) const { return std::find(refused_.begin(), refused_.end(), &file) != refused_.end(); }

ums::Task<void> LogGrowth::serve() {
    while (!stopping_.is_set()) {
        SimFile* const file = growable_file();
        if (file == nullptr) co_return;
        co_await log_.space().growth_wanted().wait(ums::WaitType::log_writer_queue);
        log_.space().growth_wanted().reset();
        if (stopping_.is_set()) co_return;
        if (!log_.space().use().is_waited_for) continue;  // the last growth, or a checkpoint, has made room meanwhile
        const std::error_code error = co_await grow(*file);
        if (error && (run_.is_stopping() || is_about_storage(error))) co_return;
        const SimFile* const next = growable_file();
        const bool are_all_refused = error && next != nullptr && was_refused(*next);
        if (are_all_refused) {
            static_cast<void>(co_await stopping_.wait(ums::WaitType::sleep_task, journal_.clock().now_ns() + kRefusedPauseNs));
        }
        log_.space().growth_wanted().set();  // tasks that still wait do not ask again
    }
}

void LogGrowth::stop() {
    stopping_.set();
    log_.space().growth_wanted().set();
}

// An error if the system refuses; the log then makes do with its present size.
ums::Task<std::error_code> LogGrowth::grow(SimFile& file) {
    const std::uint64_t old_bytes = file.size_bytes();
    const std::uint64_t new_bytes = old_bytes + file.options().increment_mb * kMb;
    std::uint64_t log_bytes = 0;
    for (const auto& each : files_) log_bytes += each->size_bytes();
    const GrowthPlan plan = plan_growth(is_instant_, new_bytes - old_bytes, log_bytes);
    const std::error_code error = co_await lengthen_log(file, new_bytes, plan, run_, journal_);
    if (error) {
        tell_refusal(file, new_bytes, error);
        co_return error;
    }
    std::erase(refused_, &file);
    if (promises_ != nullptr) promises_->grown(file.id(), file.pages());
    for (const VlfPlace& vlf : divide_growth(file, old_bytes, new_bytes - old_bytes, plan.vlfs)) {
        log_.space().add(file, vlf.offset_bytes, vlf.offset_bytes + vlf.size_bytes);
    }
    file.grown_count.fetch_add(1, std::memory_order_relaxed);
    journal_.info(fmt::format("{}: grown from {} MB to {} MB.", file.path(), old_bytes / kMb, new_bytes / kMb));
    co_return error;
}

// A disk that stays full is reported once, not at each try.
void LogGrowth::tell_refusal(SimFile& file, std::uint64_t new_bytes, const std::error_code& error) {
    if (is_called_off(error, run_)) return;
    const bool is_tried_again = !is_about_storage(error);
    const bool is_told = std::erase(refused_, &file) > 0;
    refused_.push_back(&file);
    if (is_tried_again && is_told) return;
    journal_.warning(fmt::format("{}: the log is full and cannot grow to {} MB: {}.{}", file.path(), new_bytes / kMb,
                                 ums::error_text(error), is_tried_again ? " It tries again while tasks wait for room." : ""));
}

}  // namespace sim
