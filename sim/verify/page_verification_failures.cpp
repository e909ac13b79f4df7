// Ranges that cannot be read at once: which of their pages are to blame, and the others verified all the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/files/io_retry.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/verify/page_verification.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

namespace {

// So many ranges are examined with patience for each page, and each page that fails is reported.
constexpr std::uint64_t kPatientRangesMax = 64;

}  // namespace

// Only single reads can tell which pages of a range are to blame. All tries of a page take half a second, most of which is waiting: the
// pages wait at the same time. Of later ranges, neighbours that fail are tried again, and reported, together. True if something was
// reported.
ums::Task<bool> PageVerification::verify_after_failure(File& file, FailedRange& range) {
    const bool is_patient = unreadable_ranges_.fetch_add(1, std::memory_order_relaxed) < kPatientRangesMax;
    const auto count = static_cast<std::uint32_t>(range.has_come.size());
    // A run that stops only looks whether the failure lasts: nothing else shows that it has passed.
    const bool is_whole = run_.is_stopping();
    if (!is_patient && !is_whole) co_await try_missing(file, range, 0, count);
    const std::uint32_t together_max = is_patient && !is_whole ? 1U : count;
    co_await retry_missing(file, range, together_max);
    const bool is_over = range.is_reported && run_.is_stopping();
    if (!is_over) co_await take_failed_range(file, range);
    co_return range.is_reported;
}

// Once, each page alone.
ums::Task<void> PageVerification::try_missing(File& file, FailedRange& range, std::uint32_t index, std::uint32_t count) {
    ums::TaskGroup reads;
    for (std::uint32_t i = index; i < index + count; ++i) {
        if (range.has_come[i] == 0) ums::Scheduler::current().fork(reads, try_page(file, range, i));
    }
    co_await reads.join();
}

ums::Task<void> PageVerification::try_page(File& file, FailedRange& range, std::uint32_t index) {
    const ums::IoSegment segment{range.bytes + std::size_t{index} * kPageBytes, kPageBytes};
    const std::uint64_t offset_bytes = (std::uint64_t{range.first_page} + index) * kPageBytes;
    stamp_not_read(segment.data, segment.size_bytes);
    const TransferResult result =
        co_await file.file->transfer(ums::IoOperation::read, offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    const TransferFailure failure{ums::IoOperation::read, offset_bytes, segment.size_bytes, result.error, result.transferred_bytes};
    range.has_come[index] = failure.is_complete() ? 1 : 0;
}

// With all tries, and a finding if they fail. At most so many neighbours together.
ums::Task<void> PageVerification::retry_missing(File& file, FailedRange& range, std::uint32_t together_max) {
    const auto pages = static_cast<std::uint32_t>(range.has_come.size());
    ums::TaskGroup reads;
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < pages; i += std::max<std::uint32_t>(count, 1)) {
        count = 0;
        while (count < together_max && i + count < pages && range.has_come[i + count] == 0) ++count;
        if (count != 0) ums::Scheduler::current().fork(reads, retry_pages(file, range, i, count));
    }
    co_await reads.join();
}

ums::Task<void> PageVerification::retry_pages(File& file, FailedRange& range, std::uint32_t index, std::uint32_t count) {
    const ums::IoSegment segment{range.bytes + std::size_t{index} * kPageBytes, std::uint64_t{count} * kPageBytes};
    stamp_not_read(segment.data, segment.size_bytes);
    IoRetry retry(*file.file, run_, journal_);
    const std::uint64_t offset_bytes = (std::uint64_t{range.first_page} + index) * kPageBytes;
    const bool has_come = co_await retry.read(offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    range.is_reported = range.is_reported || retry.has_reported();
    if (has_come) std::fill_n(range.has_come.begin() + index, count, std::uint8_t{1});
    // One of them may fail for good, and another one only now and then.
    if (!has_come && count > 1 && !run_.is_stopping()) co_await try_missing(file, range, index, count);
}

ums::Task<void> PageVerification::take_failed_range(File& file, const FailedRange& range) {
    const auto pages = static_cast<std::uint32_t>(range.has_come.size());
    for (std::uint32_t i = 0; i < pages;) {
        std::uint32_t count = 0;
        while (i + count < pages && range.has_come[i + count] != 0) ++count;
        std::byte* const bytes = range.bytes + std::size_t{i} * kPageBytes;
        if (count != 0) {
            co_await verify_pages(file, range.first_page + i, count, bytes);
        } else {
            file.proven->sums.skip(range.first_page + i);
            if (take_) take_(proven_page(file, range.first_page + i), {PageCondition::wrong, 0, false}, bytes);
        }
        i += std::max<std::uint32_t>(count, 1);
    }
}

}  // namespace sim
