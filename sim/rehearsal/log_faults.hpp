// Faults of written log blocks, of written chunks of the backup chain, and of log blocks that a backup reads. Not thread-safe: the injector
// guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/rehearsal/copied_log.hpp"
#include "sim/rehearsal/fault_choice.hpp"
#include "sim/rehearsal/fault_record.hpp"
#include "ums/base/prng.hpp"

namespace sim {

class LogFaults {
public:
    // The arguments must outlive this object. `has_log_backups`: as for CopiedLog.
    LogFaults(FaultChoice& choice, FaultRecord& record, ums::Prng& prng, bool has_log_backups)
        : choice_(choice), record_(record), prng_(prng), copied_(has_log_backups) {}

    // A write to a log file, or to a backup chain, has completed.
    void finish_write(FaultyFile& file, const ums::IoRequest& request);
    // A read of one of them by the program has completed, and returned what was written: one of the blocks may be wrong from now on.
    void finish_read(FaultyFile& file, const ums::IoRequest& request);
    // A read has returned wrong bytes of this fault.
    void was_read(FaultyFile& file, std::uint64_t fault);

    // A backup was completed whose log differs from what was written.
    [[nodiscard]] bool has_wrong_copy() const { return copied_.has_wrong_copy(); }

private:
    struct Passing {  // a fault that goes away by itself
        std::uint64_t fault = 0;
        std::uint64_t reads_left = 0;
    };

    [[nodiscard]] std::string make_wrong(std::vector<std::byte>& block, FindingKind kind);
    void lose_behind_tail(FaultyFile& file, const ums::IoRequest& request, const std::vector<std::byte>& block);
    void spoil(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::vector<std::byte> block);
    // `may_be_end`: nothing that was logged after it is there.
    void spoil_read_block(FaultyFile& file, const FaultRange& range, FindingKind kind, std::vector<std::byte> block, bool may_be_end);
    void spoil_chunk(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::vector<std::byte> chunk);

    FaultChoice& choice_;
    FaultRecord& record_;
    ums::Prng& prng_;
    CopiedLog copied_;
    Passing passing_;
    std::uint64_t tail_fault_ = 0;  // from this fault on, everything that is written to the log is lost; 0: none
};

}  // namespace sim
