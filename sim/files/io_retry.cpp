#include "sim/files/io_retry.hpp"

#include <array>

#include <fmt/format.h>

#include "ums/base/memory_region.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

constexpr std::array<std::uint64_t, kIoRetries> kPausesMs = {1, 10, 100, 500};

std::uint64_t size_of(std::span<const ums::IoSegment> segments) {
    std::uint64_t size_bytes = 0;
    for (const ums::IoSegment& segment : segments) size_bytes += segment.size_bytes;
    return size_bytes;
}

// Errors that say something about the place, not about these bytes: trying again does not help and no page is to blame.
bool is_environment(const std::error_code& error) {
    return error == std::errc::no_space_on_device || error == std::errc::no_such_device || error == std::errc::no_such_device_or_address ||
           error == std::errc::read_only_file_system || error == std::errc::file_too_large || error.value() == EDQUOT ||
           error.value() == ESTALE || error.value() == ESHUTDOWN;
}

// Errors that say that this machine lacks something for the moment.
bool is_machine(const std::error_code& error) {
    return error == std::errc::not_enough_memory || error == std::errc::resource_unavailable_try_again || error == std::errc::interrupted ||
           error == std::errc::no_buffer_space;
}

Finding finding_of(SimFile& file, const FailedTransfer& failed, const TransferResult& result) {
    ums::IoRequest request;
    request.operation = failed.operation;
    request.offset_bytes = failed.offset_bytes;
    request.size_bytes = failed.size_bytes;
    Finding finding = file.transfer_finding(request, result.error ? FindingKind::io_error : FindingKind::short_transfer);
    finding.error_code = result.error.value();
    finding.error_text = result.error ? result.error.message() : "";
    return finding;
}

}  // namespace

void report_cured_transfer(SimFile& file, Journal& journal, const FailedTransfer& failed, const TransferResult& first_result) {
    if (is_machine(first_result.error)) return;
    Finding finding = finding_of(file, failed, first_result);
    finding.transient = true;
    finding.reads = 2;
    finding.description = fmt::format("A {} of {} bytes {}. It succeeded when tried again.",
                                      failed.operation == ums::IoOperation::write ? "write" : "read", failed.size_bytes,
                                      first_result.error ? fmt::format("failed: {}", finding.error_text)
                                                         : fmt::format("returned success after {} bytes", first_result.transferred_bytes));
    file.finding_count.fetch_add(1, std::memory_order_relaxed);
    journal.report(std::move(finding));
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
                report_cured_transfer(file_, journal_, {operation, offset_bytes, size_bytes}, first_result);
                has_reported_ = true;
            }
            co_return true;
        }
        if (attempt == 0) first_result = result;
        if (attempt == kIoRetries || is_environment(result.error) || run_.is_stopping()) break;
        const std::string what = result.error ? result.error.message() : fmt::format("only {} bytes came", result.transferred_bytes);
        journal_.warning(fmt::format("{} of {} bytes at offset 0x{:x} of {} failed: {}. It is tried again.",
                                     operation == ums::IoOperation::read ? "Read" : "Write", size_bytes, offset_bytes, file_.path(), what));
        if (operation == ums::IoOperation::write) file_.local_counters().write_retries.add(1);
        co_await ums::sleep_until(journal_.clock().now_ns() + kPausesMs[attempt] * ums::kNsPerMs);
    }
    co_await report(operation, offset_bytes, size_bytes, result, attempt + 1);
    has_reported_ = true;
    co_return false;
}

ums::Task<void> IoRetry::report(ums::IoOperation operation, std::uint64_t offset_bytes, std::uint64_t size_bytes, TransferResult result,
                                std::uint32_t tries) {
    const bool is_write = operation == ums::IoOperation::write;
    const char* const name = is_write ? "write" : "read";
    bool lost = result.error && !is_environment(result.error);
    if (lost) lost = co_await is_storage_lost();
    if (lost || is_environment(result.error)) {
        std::string text =
            fmt::format("{}: a {} of {} bytes at offset 0x{:x} failed: {}{}", file_.path(), name, size_bytes, offset_bytes,
                        result.error.message(), lost ? ", and so does every other access to the file: the storage is gone." : ".");
        if (!run_.is_stopping()) journal_.error(text);
        run_.stop(Outcome::not_done, std::move(text));
        co_return;
    }
    Finding finding = finding_of(file_, {operation, offset_bytes, size_bytes}, result);
    finding.reads = tries;
    finding.description =
        result.error ? fmt::format("A {} of {} bytes failed{}: {}.", name, size_bytes, tries > 1 ? ", also when tried again" : "",
                                   finding.error_text)
                     : fmt::format("A {} of {} bytes returned success after {} bytes.", name, size_bytes, result.transferred_bytes);
    file_.finding_count.fetch_add(1, std::memory_order_relaxed);
    journal_.report(std::move(finding));
}

// A single bad page leaves the rest readable; a device that is gone answers nothing.
ums::Task<bool> IoRetry::is_storage_lost() {
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    const ums::IoSegment segment{page.data(), kPageBytes};
    for (const std::uint64_t offset_bytes :
         {std::uint64_t{0}, file_.size_bytes() / 2 / kPageBytes * kPageBytes, file_.size_bytes() - kPageBytes}) {
        ums::IoRequest probe;
        probe.file = file_.transfer_handle();
        probe.offset_bytes = offset_bytes;
        probe.size_bytes = kPageBytes;
        probe.segments = &segment;
        probe.segment_count = 1;
        co_await ums::Scheduler::current().io(probe);
        if (!probe.error) co_return false;
    }
    co_return true;
}

}  // namespace sim
