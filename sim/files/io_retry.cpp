#include "sim/files/io_retry.hpp"

#include <fmt/format.h>

#include "ums/base/memory_region.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

std::uint64_t size_of(std::span<const ums::IoSegment> segments) {
    std::uint64_t size_bytes = 0;
    for (const ums::IoSegment& segment : segments) size_bytes += segment.size_bytes;
    return size_bytes;
}

}  // namespace

void report_cured_transfer(SimFile& file, const TransferFailure& first) {
    if (!is_about_machine(first.error)) file.report(cured_failure(file.id(), file.options(), first));
}

ums::Task<bool> IoRetry::read(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type) {
    return transfer(ums::IoOperation::read, offset_bytes, segments, wait_type);
}

ums::Task<bool> IoRetry::write(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type) {
    return transfer(ums::IoOperation::write, offset_bytes, segments, wait_type);
}

ums::Task<bool> IoRetry::transfer(ums::IoOperation operation, std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments,
                                  ums::WaitType wait_type) {
    const std::uint64_t size_bytes = size_of(segments);
    TransferResult result;
    TransferResult first_result;
    std::uint32_t attempt = 0;
    for (;; ++attempt) {
        result = co_await file_.transfer(operation, offset_bytes, segments, wait_type);
        if (!result.error && result.transferred_bytes == size_bytes) {
            if (attempt > 0) {
                report_cured_transfer(file_, {operation, offset_bytes, size_bytes, first_result.error, first_result.transferred_bytes});
                has_reported_ = true;
            }
            co_return true;
        }
        if (attempt == 0) first_result = result;
        if (attempt == kIoRetries || is_about_volume(result.error) || run_.is_stopping()) break;
        journal_.warning(tried_again_message(file_.path(), {operation, offset_bytes, size_bytes, result.error, result.transferred_bytes}));
        if (operation == ums::IoOperation::write) file_.local_counters().write_retries.add(1);
        co_await ums::sleep_until(journal_.clock().now_ns() + kRetryPausesMs[attempt] * ums::kNsPerMs);
    }
    co_await report(operation, offset_bytes, size_bytes, result, attempt + 1);
    has_reported_ = true;
    co_return false;
}

ums::Task<void> IoRetry::report(ums::IoOperation operation, std::uint64_t offset_bytes, std::uint64_t size_bytes, TransferResult result,
                                std::uint32_t tries) {
    const char* const name = operation == ums::IoOperation::write ? "write" : "read";
    bool lost = result.error && !is_about_volume(result.error);
    if (lost) lost = co_await is_storage_lost();
    if (lost || is_about_volume(result.error)) {
        std::string text =
            fmt::format("{}: a {} of {} bytes at offset 0x{:x} failed: {}{}", file_.path(), name, size_bytes, offset_bytes,
                        result.error.message(), lost ? ", and so does every other access to the file: the storage is gone." : ".");
        if (!run_.is_stopping()) journal_.error(text);
        run_.stop(Outcome::not_done, std::move(text));
        co_return;
    }
    const TransferFailure failure{operation, offset_bytes, size_bytes, result.error, result.transferred_bytes};
    file_.report(lasting_failure(file_.id(), file_.options(), failure, tries));
}

// A single bad page leaves the rest readable; a device that is gone answers nothing.
ums::Task<bool> IoRetry::is_storage_lost() {
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    const ums::IoSegment segment{page.data(), kPageBytes};
    for (const std::uint64_t offset_bytes :
         {std::uint64_t{0}, file_.size_bytes() / 2 / kPageBytes * kPageBytes, file_.size_bytes() - kPageBytes}) {
        ums::IoRequest probe = file_.diagnosis_read(offset_bytes, segment);
        probe.is_search = true;
        co_await ums::Scheduler::current().io(probe);
        if (!probe.error) co_return false;
    }
    co_return true;
}

}  // namespace sim
