// Transfers with SQL Server's patience: a request that fails is logged and tried again with growing pauses. What stays wrong is reported
// once: as a finding, or, where the storage as a whole is gone or full, as the end of the run.
#pragma once

#include <cstdint>
#include <span>
#include <system_error>

#include "sim/files/sim_file.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/files/try_again.hpp"
#include "sim/run/journal.hpp"
#include "sim/run/run_state.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class IoRetry {
public:
    // The references must outlive the object. Use by one task at a time.
    IoRetry(SimFile& file, RunState& run, Journal& journal) : file_(file), run_(run), journal_(journal) {}

    // True when all of it has been transferred. False: reported already, as a finding or as the end of the run; or abandoned, and nothing
    // was reported.
    ums::Task<bool> read(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                         WhenStopping when_stopping = WhenStopping::post);
    ums::Task<bool> write(std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments, ums::WaitType wait_type,
                          WhenStopping when_stopping = WhenStopping::post);

    // A finding was made, or the run was ended.
    [[nodiscard]] bool has_reported() const { return has_reported_; }

private:
    ums::Task<bool> transfer(ums::IoOperation operation, std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments,
                             ums::WaitType wait_type, WhenStopping when_stopping);
    ums::Task<void> report(const TriedAgain& tried);
    ums::Task<bool> is_storage_lost();

    SimFile& file_;
    RunState& run_;
    Journal& journal_;
    bool has_reported_ = false;
};

// A transfer failed once and succeeded in the end: a finding, unless the error says something about the machine and nothing about the
// storage.
void report_cured_transfer(SimFile& file, const TransferFailure& first);

}  // namespace sim
