#include "sim/files/io_retry.hpp"

#include <fmt/format.h>

#include "ums/base/memory_region.hpp"
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

ums::Task<bool> IoRetry::read(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                              WhenStopping when_stopping) {
    return transfer(ums::IoOperation::read, offset_bytes, segments, wait_type, when_stopping);
}

ums::Task<bool> IoRetry::write(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                               WhenStopping when_stopping) {
    return transfer(ums::IoOperation::write, offset_bytes, segments, wait_type, when_stopping);
}

ums::Task<bool> IoRetry::transfer(ums::IoOperation operation, std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments,
                                  ums::WaitType wait_type, WhenStopping when_stopping) {
    TransferFailure first{.operation = operation, .offset_bytes = offset_bytes, .size_bytes = size_of(segments), .error = {}};
    const TransferResult result = co_await file_.transfer(operation, offset_bytes, segments, wait_type, when_stopping);
    if (result.is_abandoned) co_return false;
    first.error = result.error;
    first.transferred_bytes = result.transferred_bytes;
    if (first.is_complete()) co_return true;

    auto attempt = [&]() -> ums::Task<TransferFailure> {
        if (operation == ums::IoOperation::write) file_.local_counters().write_retries.add(1);
        const TransferResult again = co_await file_.transfer(operation, offset_bytes, segments, wait_type);
        co_return TransferFailure{operation, offset_bytes, first.size_bytes, again.error, again.transferred_bytes};
    };
    const TriedAgain tried = co_await try_again(first, attempt, file_.path(), journal_, &run_);
    if (tried.is_cured) {
        report_cured_transfer(file_, first);
    } else {
        co_await report(tried);
    }
    has_reported_ = true;
    co_return tried.is_cured;
}

ums::Task<void> IoRetry::report(const TriedAgain& tried) {
    const TransferFailure& failure = tried.last;
    const char* const name = failure.operation == ums::IoOperation::write ? "write" : "read";
    bool lost = failure.error && !is_about_volume(failure.error);
    if (lost) lost = co_await is_storage_lost();
    if (lost || is_about_volume(failure.error)) {
        std::string text =
            fmt::format("{}: a {} of {} bytes at offset 0x{:x} failed: {}{}", file_.path(), name, failure.size_bytes, failure.offset_bytes,
                        failure.error.message(), lost ? ", and so does every other access to the file: the storage is gone." : ".");
        if (!run_.is_stopping()) journal_.error(text);
        run_.stop(Outcome::not_done, std::move(text));
        co_return;
    }
    file_.report(lasting_failure(file_.id(), file_.options(), failure, tried.tries));
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
