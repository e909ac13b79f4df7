// What happens to log blocks, and to chunks of the backup chain, that have been written. Not thread-safe: the injector guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/rehearsal/fault_choice.hpp"
#include "sim/rehearsal/fault_record.hpp"
#include "ums/base/prng.hpp"

namespace sim {

class LogFaults {
public:
    // All must outlive this.
    LogFaults(FaultChoice& choice, FaultRecord& record, ums::Prng& prng) : choice_(choice), record_(record), prng_(prng) {}

    // A write to a log file, or to a chain of backups, has come back.
    void finish_write(FaultyFile& file, const ums::IoRequest& request);

private:
    void lose_behind_tail(FaultyFile& file, const ums::IoRequest& request, const std::vector<std::byte>& block);
    void spoil(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::vector<std::byte> block);
    void spoil_chunk(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::vector<std::byte> chunk);

    FaultChoice& choice_;
    FaultRecord& record_;
    ums::Prng& prng_;
    std::uint64_t tail_fault_ = 0;  // from this fault on everything that is written to the log is lost
};

}  // namespace sim
