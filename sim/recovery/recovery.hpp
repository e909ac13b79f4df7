// What SQL Server's recovery does with the files that a crash left: reads the log to its end, brings every page up to the log, and finds
// the place where the log continues. Every page is verified on the way, as `ioproof verify` does (docs/durability.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/files/data_file.hpp"
#include "sim/recovery/log_end.hpp"
#include "sim/recovery/redo.hpp"
#include "sim/results.hpp"
#include "sim/verify/log_analysis.hpp"
#include "sim/verify/page_verification.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

struct RecoverySetup {
    std::uint64_t run_id = 0;
    std::uint32_t alignment_bytes = 512;  // of log blocks
    std::uint64_t checkpoint_bytes = 0;   // that a checkpoint logs at most
    const Promises* promises = nullptr;   // of this run, kept outside the storage; null: there are none
    bool repairs = false;                 // continues after findings, and rewrites what was wrong; otherwise the run ends with them
    // Data files whose first page is not as the run made it. If the log is empty, the run may have been cut off while it made them.
    std::vector<std::uint32_t> odd_files{};
};

class Recovery {
public:
    // The files, without replicas, with empty ledgers. All references must outlive the object.
    Recovery(const RecoverySetup& setup, const std::vector<DataFile*>& data_files, const std::vector<SimFile*>& log_files,
             ums::SchedulerGroup& schedulers, RunState& run, Journal& journal);

    // The three steps, each a phase. If a step fails, the run is stopping, and knows why.
    ums::Task<void> analyse();
    ums::Task<void> verify();  // writes nothing yet
    ums::Task<void> redo();

    // Everything that was promised is there, so a run that continues may keep it. After redo().
    [[nodiscard]] bool holds_all_promises() const { return log_.demands_all() && journal_.finding_count() == 0; }
    [[nodiscard]] const Promises* promises() const { return log_.promises(); }
    // Where the log continues. After redo().
    [[nodiscard]] const LogPosition& position() const { return log_end_.position(); }
    void describe(DurabilityResult& result) const;
    [[nodiscard]] ResumeResult describe() const;

private:
    void stop_without_log();

    const RecoverySetup setup_;
    RunState& run_;
    Journal& journal_;
    LogAnalysis log_;
    Redo redo_;
    LogEnd log_end_;
    const std::vector<SimFile*> data_files_;
    ums::SchedulerGroup& schedulers_;
    std::unique_ptr<PageVerification> pages_;
};

}  // namespace sim
