#include "sim/files/file_stamper.hpp"

#include <algorithm>
#include <utility>

#include "sim/files/transfer_failure.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {
namespace {

constexpr std::uint64_t kStampBytes = 1 << 20;
// Enough concurrent stamping writes to keep an array busy.
constexpr std::uint32_t kStampsOutstanding = 8;

bool is_refused_always(const RetryResult& tried) { return tried.last.error == std::errc::invalid_argument && tried.causes.size() == 1; }

}  // namespace

std::uint32_t make_signature(std::uint64_t run_id, std::uint32_t file_id, const Journal& journal, std::byte* page) {
    return make_page({run_id, file_id, 0, 1, 0, journal.clock().utc_us()}, page);
}

// Without an owner, which distinguishes requests of files that are still being created.
ums::IoRequest FileStamper::request_for(std::uint64_t offset_bytes, const ums::IoSegment& segment) const {
    ums::IoRequest request;
    request.operation = ums::IoOperation::write;
    request.file = handle_;
    request.offset_bytes = offset_bytes;
    request.size_bytes = segment.size_bytes;
    request.segments = &segment;
    request.segment_count = 1;
    return request;
}

ums::Task<std::error_code> FileStamper::write_signature(std::uint64_t run_id, std::uint32_t& checksum, bool may_be_refused) const {
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    checksum = make_signature(run_id, file_id_, journal_, page.data());
    const ums::IoSegment segment{page.data(), kPageBytes};
    ums::IoRequest request = request_for(0, segment);
    request.durable = true;
    co_return co_await write(request, may_be_refused);
}

ums::Task<std::error_code> FileStamper::write_zeros(std::uint64_t begin_bytes, std::uint64_t end_bytes,
                                                    std::uint32_t outstanding_max) const {
    const ums::MemoryRegion zeros(kStampBytes, ums::MemoryKind::huge_pages);
    std::uint64_t next_bytes = begin_bytes;
    std::error_code failure;
    auto stamp = [&]() -> ums::Task<void> {
        while (next_bytes < end_bytes && !failure && !is_stopping()) {
            const ums::IoSegment segment{zeros.data(), std::min(kStampBytes, end_bytes - next_bytes)};
            ums::IoRequest request = request_for(next_bytes, segment);
            next_bytes += segment.size_bytes;
            const std::error_code error = co_await write(request);
            if (error) failure = error;
        }
    };
    ums::TaskGroup stampers;
    const std::uint32_t stampers_wanted = std::min(kStampsOutstanding, outstanding_max);
    for (std::uint32_t i = 0; i < stampers_wanted; ++i) ums::Scheduler::current().fork(stampers, stamp());
    co_await stampers.join();
    co_return failure;
}

ums::Task<std::error_code> FileStamper::write(ums::IoRequest& request, bool may_be_refused) const {
    auto attempt = [&]() -> ums::Task<TransferFailure> {
        co_await ums::Scheduler::current().io(request);
        report_anomaly(request);
        co_return TransferFailure{request.operation, request.offset_bytes, request.size_bytes, request.error, request.transferred_bytes};
    };
    const TransferFailure first = co_await attempt();
    if (first.is_complete()) co_return std::error_code{};
    const RetryResult tried = co_await retry_transfer(first, attempt, file_.path, journal_, run_);
    if (tried.has_recovered) {
        if (tried.of_storage) report(tried, *tried.of_storage, recovered_failure(file_id_, file_, *tried.of_storage));
        co_return std::error_code{};
    }
    if (may_be_refused && is_refused_always(tried)) co_return tried.last.error;
    const TransferFailure& reported = is_about_storage(tried.last.error) ? tried.last : tried.of_storage.value_or(tried.last);
    if (tried.of_storage) report(tried, reported, persistent_failure(file_id_, file_, reported, tried.tries));
    co_return tried.last.error ? tried.last.error : std::make_error_code(std::errc::io_error);
}

void FileStamper::report(const RetryResult& tried, const TransferFailure& reported, Finding finding) const {
    finding.description += other_causes_text(tried, reported);
    journal_.report(std::move(finding));
}

// What came late, or in parts.
void FileStamper::report_anomaly(const ums::IoRequest& request) const {
    if (is_late(request)) {
        journal_.warning(late_message(file_.path, request));
        if (!request.reported_lost) journal_.report(late_transfer(file_id_, file_, request));
    }
    if (is_interrupted(request)) journal_.report(interrupted_transfer(file_id_, file_, request));
}

ums::Task<std::error_code> stamp_zeros(SimFile& file, RunState& run, Journal& journal, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    constexpr std::uint64_t kStampBytes = 1 << 20;
    const ums::MemoryRegion zeros(kStampBytes, ums::MemoryKind::plain);
    for (std::uint64_t offset = begin_bytes; offset < end_bytes; offset += kStampBytes) {
        if (run.is_stopping()) co_return std::make_error_code(std::errc::operation_canceled);
        const ums::IoSegment segment{zeros.data(), std::min(kStampBytes, end_bytes - offset)};
        const TransferResult result = co_await file.transfer(ums::IoOperation::write, offset, {&segment, 1}, ums::WaitType::io_completion,
                                                             OnStop::post, LogWrite::zeros);
        if (!result.error && result.transferred_bytes == segment.size_bytes) continue;
        if (is_about_space(result.error)) co_return result.error;
        IoRetry retry(file, run, journal, LogWrite::zeros);
        const bool is_written = co_await retry.write(offset, {&segment, 1}, ums::WaitType::io_completion);
        if (!is_written) co_return std::make_error_code(std::errc::io_error);
        if (retry.has_reported()) continue;
        report_recovered_transfer(file, {ums::IoOperation::write, offset, segment.size_bytes, result.error, result.transferred_bytes});
    }
    co_return std::error_code{};
}

bool is_called_off(const std::error_code& error, const RunState& run) {
    return error == std::errc::operation_canceled && run.is_stopping();
}

}  // namespace sim
