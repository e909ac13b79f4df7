// Transfers with SQL Server's patience: a request that fails is logged and retried with growing pauses. A lasting failure is reported once,
// as a finding, which ends the run if the entire storage is gone. Lack of space, or a lasting shortage in the machine, is not a finding,
// but ends the run as well.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "sim/files/sim_file.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

struct RetryResult {
    std::uint32_t tries = 1;  // including the first one
    bool has_recovered = false;
    TransferFailure last;  // unless it has recovered
    // The tries of one request may fail in different ways. One finding is reported for all of them: it names each cause.
    std::vector<std::string> causes{};            // each once, in order
    std::optional<TransferFailure> of_storage{};  // the first failure that is the storage's
};

void note_failure(RetryResult& tried, const TransferFailure& failure);
// " Other tries: No data available." if causes other than that of `reported` were noted, otherwise empty.
[[nodiscard]] std::string other_causes_text(const RetryResult& tried, const TransferFailure& reported);

// `attempt()` repeats the transfer: a Task<TransferFailure>, whose result also covers a complete transfer. Gives up after enough tries, and
// when the error is about space or the device. While `run`, which may be null, is stopping, there are no pauses but as many tries:
// otherwise nothing would show whether the error lasts. The caller reports the result. All references must live until it has returned.
template <typename Attempt>
ums::Task<RetryResult> retry_transfer(const TransferFailure& first, Attempt& attempt, const std::string& path, Journal& journal,
                                      const RunState* run) {
    RetryResult result{.last = first};
    note_failure(result, first);
    while (result.tries <= kIoRetries && !is_about_space(result.last.error) && !is_about_device(result.last.error)) {
        journal.warning(retry_message(path, result.last));
        const bool may_wait = run == nullptr || !run->is_stopping();
        if (may_wait) co_await ums::sleep_until(journal.clock().now_ns() + kRetryPausesMs[result.tries - 1] * ums::kNsPerMs);
        result.last = co_await attempt();
        ++result.tries;
        if (result.last.is_complete()) {
            result.has_recovered = true;
            break;
        }
        note_failure(result, result.last);
    }
    co_return result;
}

class IoRetry {
public:
    // The references must outlive the object. Used by one task at a time.
    IoRetry(SimFile& file, RunState& run, Journal& journal, LogWrite log_write = LogWrite::block)
        : file_(file), run_(run), journal_(journal), log_write_(log_write) {}

    // True when everything has been transferred. False: already reported, as a finding or as the end of the run; or abandoned, and nothing
    // was reported.
    ums::Task<bool> read(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                         OnStop on_stop = OnStop::post);
    ums::Task<bool> write(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                          OnStop on_stop = OnStop::post);

    // A finding was reported, or the run was ended.
    [[nodiscard]] bool has_reported() const { return has_reported_; }
    // Of the last try.
    [[nodiscard]] std::uint64_t duration_us() const { return duration_us_; }

private:
    ums::Task<bool> transfer(ums::IoOperation operation, std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments,
                             ums::WaitType wait_type, OnStop on_stop);
    ums::Task<void> report(const RetryResult& tried);
    void report_persistent(const RetryResult& tried, const TransferFailure& failure, const std::string& more = "");
    void end_run(Outcome outcome, const TransferFailure& failure, const std::string& more);
    ums::Task<bool> is_storage_lost();

    SimFile& file_;
    RunState& run_;
    Journal& journal_;
    const LogWrite log_write_;
    std::uint64_t duration_us_ = 0;
    bool has_reported_ = false;
};

// A sync of the file failed, which SimFile has reported: nothing tells which of the earlier writes are lost, so the run ends, as SQL Server
// takes such a database offline. A second sync would prove nothing: the system reports a loss only once.
ums::Task<void> end_run_unsynced(const SimFile& file, const std::error_code& error, RunState& run, Journal& journal);

// For files that are written: makes the system forget the file's cached pages. The sync in it may be the only one that tells of a loss, so
// its error is a finding, and ends the run, as that of any other.
ums::Task<void> sync_and_drop_cache(SimFile& file, RunState& run, Journal& journal);

// Reports a transfer that failed once and succeeded in the end: a finding, unless the error is about the machine and not about the storage.
void report_recovered_transfer(SimFile& file, const TransferFailure& first);

}  // namespace sim
