// Transfers with SQL Server's patience: a request that fails is logged and retried with growing pauses. What stays wrong is reported once,
// as a finding, which ends the run if the entire storage is gone. Lack of space, or a lasting shortage in the machine, is not a finding,
// but ends the run as well.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <system_error>

#include "sim/files/retry_transfer.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class IoRetry {
public:
    // The references must outlive the object. Use by one task at a time.
    IoRetry(SimFile& file, RunState& run, Journal& journal) : file_(file), run_(run), journal_(journal) {}

    // True when all of it has been transferred. False: reported already, as a finding or as the end of the run; or abandoned, and nothing
    // was reported.
    ums::Task<bool> read(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                         OnStop on_stop = OnStop::post);
    ums::Task<bool> write(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                          OnStop on_stop = OnStop::post);

    // A finding was made, or the run was ended.
    [[nodiscard]] bool has_reported() const { return has_reported_; }

private:
    ums::Task<bool> transfer(ums::IoOperation operation, std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments,
                             ums::WaitType wait_type, OnStop on_stop);
    ums::Task<void> report(const RetryResult& tried);
    void end_run(Outcome outcome, const TransferFailure& failure, const std::string& more);
    ums::Task<bool> is_storage_lost();

    SimFile& file_;
    RunState& run_;
    Journal& journal_;
    bool has_reported_ = false;
};

// A sync of the file failed, which SimFile has reported: nobody can say which of the earlier writes are lost, so the run ends, as SQL
// Server takes such a database offline. A second sync would prove nothing: the system reports a loss only once.
ums::Task<void> end_run_unsynced(const SimFile& file, const std::error_code& error, RunState& run, Journal& journal);

// A transfer failed once and succeeded in the end: a finding, unless the error says something about the machine and nothing about the
// storage.
void report_recovered_transfer(SimFile& file, const TransferFailure& first);

}  // namespace sim
