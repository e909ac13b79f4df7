#include "sim/files/io_retry.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ums/base/memory_region.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

std::uint64_t size_of(std::span<const ums::IoSegment> segments) {
    std::uint64_t size_bytes = 0;
    for (const ums::IoSegment& segment : segments) size_bytes += segment.size_bytes;
    return size_bytes;
}

// What one failure shows of all other requests. A file system that remounted itself read-only still answers reads.
std::string loss_text(const std::error_code& error) {
    return error == std::errc::read_only_file_system ? "The file system has become read-only and takes no more writes."
                                                     : "So does every other access to the file: the storage is gone.";
}

}  // namespace

void note_failure(RetryResult& tried, const TransferFailure& failure) {
    if (!tried.of_storage && is_about_storage(failure.error)) tried.of_storage = failure;
    std::string cause = cause_of(failure);
    if (std::find(tried.causes.begin(), tried.causes.end(), cause) == tried.causes.end()) tried.causes.push_back(std::move(cause));
}

std::string other_causes_text(const RetryResult& tried, const TransferFailure& reported) {
    std::vector<std::string> others = tried.causes;
    std::erase(others, cause_of(reported));
    return others.empty() ? "" : fmt::format(" Other tries: {}.", fmt::join(others, ", "));
}

ums::Task<void> end_run_unsynced(const SimFile& file, const std::error_code& error, RunState& run, Journal& journal) {
    std::string text = fmt::format("{}: cannot be synced: {}.", file.path(), ums::error_text(error));
    if (is_about_space(error)) text += " " + co_await file.free_space_text();
    if (!run.is_stopping()) journal.error(text);
    run.stop(is_about_storage(error) ? Outcome::failed : Outcome::not_done, std::move(text));
}

ums::Task<void> sync_and_drop_cache(SimFile& file, RunState& run, Journal& journal) {
    const std::error_code error = co_await file.drop_cache();
    if (!error) co_return;
    file.note_failed_sync(error);
    co_await end_run_unsynced(file, error, run, journal);
}

void report_recovered_transfer(SimFile& file, const TransferFailure& first) {
    if (is_about_storage(first.error)) file.report(recovered_failure(file.id(), file.options(), first));
}

ums::Task<bool> IoRetry::read(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                              OnStop on_stop) {
    return transfer(ums::IoOperation::read, offset_bytes, segments, wait_type, on_stop);
}

ums::Task<bool> IoRetry::write(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                               OnStop on_stop) {
    return transfer(ums::IoOperation::write, offset_bytes, segments, wait_type, on_stop);
}

ums::Task<bool> IoRetry::transfer(ums::IoOperation operation, std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments,
                                  ums::WaitType wait_type, OnStop on_stop) {
    TransferFailure first{.operation = operation, .offset_bytes = offset_bytes, .size_bytes = size_of(segments), .error = {}};
    const TransferResult result = co_await file_.transfer(operation, offset_bytes, segments, wait_type, on_stop, log_write_);
    if (result.is_abandoned) co_return false;
    duration_us_ = result.duration_us;
    first.error = result.error;
    first.transferred_bytes = result.transferred_bytes;
    if (first.is_complete()) co_return true;

    auto attempt = [&]() -> ums::Task<TransferFailure> {
        if (operation == ums::IoOperation::write) file_.local_counters().write_retries.add(1);
        const TransferResult again = co_await file_.transfer(operation, offset_bytes, segments, wait_type, OnStop::post, log_write_);
        duration_us_ = again.duration_us;
        co_return TransferFailure{operation, offset_bytes, first.size_bytes, again.error, again.transferred_bytes};
    };
    const RetryResult tried = co_await retry_transfer(first, attempt, file_.path(), journal_, &run_);
    if (!tried.has_recovered) {
        co_await report(tried);
    } else if (tried.of_storage) {
        Finding finding = recovered_failure(file_.id(), file_.options(), *tried.of_storage);
        finding.description += other_causes_text(tried, *tried.of_storage);
        file_.report(std::move(finding));
    }
    has_reported_ = has_reported_ || !tried.has_recovered || tried.of_storage.has_value();
    co_return tried.has_recovered;
}

ums::Task<void> IoRetry::report(const RetryResult& tried) {
    const TransferFailure& failure = tried.last;
    if (!is_about_storage(failure.error)) {
        if (tried.of_storage) report_persistent(tried, *tried.of_storage);
        std::string more = ".";
        if (is_about_space(failure.error)) more += " " + co_await file_.free_space_text();
        end_run(Outcome::not_done, failure, more);
        co_return;
    }
    bool is_lost = is_about_device(failure.error);
    if (failure.error && !is_lost) is_lost = co_await is_storage_lost();
    const std::string loss = is_lost ? " " + loss_text(failure.error) : "";
    if (is_lost) end_run(Outcome::failed, failure, "." + loss);
    // The first failure is reported for all that follow.
    if (!is_lost || file_.give_up()) report_persistent(tried, failure, loss);
}

void IoRetry::report_persistent(const RetryResult& tried, const TransferFailure& failure, const std::string& more) {
    Finding finding = persistent_failure(file_.id(), file_.options(), failure, tried.tries);
    finding.description += more + other_causes_text(tried, failure);
    file_.report(std::move(finding));
}

void IoRetry::end_run(Outcome outcome, const TransferFailure& failure, const std::string& more) {
    std::string text = fmt::format("{}: a {} of {} bytes at offset 0x{:x} failed: {}{}", file_.path(),
                                   failure.operation == ums::IoOperation::write ? "write" : "read", failure.size_bytes,
                                   failure.offset_bytes, ums::error_text(failure.error), more);
    if (!run_.is_stopping()) journal_.error(text);
    run_.stop(outcome, std::move(text));
}

// With a single bad page the rest is still readable; a device that is gone answers nothing.
ums::Task<bool> IoRetry::is_storage_lost() {
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    const ums::IoSegment segment{page.data(), kPageBytes};
    for (const std::uint64_t offset_bytes :
         {std::uint64_t{0}, file_.size_bytes() / 2 / kPageBytes * kPageBytes, file_.size_bytes() - kPageBytes}) {
        ums::IoRequest probe = file_.diagnosis_read(offset_bytes, segment);
        probe.is_search = true;
        co_await ums::Scheduler::current().io(probe);
        if (!probe.error || !is_about_storage(probe.error)) co_return false;
    }
    co_return true;
}

}  // namespace sim
