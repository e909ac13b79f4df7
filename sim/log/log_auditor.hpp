// Reads the log back, block by block, and compares it with what the log manager knows it wrote: every block of every VLF in use must be
// there, in order, undamaged. Reports findings like any wrong page.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/log/log_manager.hpp"

namespace sim {

class LogAuditor {
public:
    LogAuditor(LogManager& log, RunState& run, Journal& journal);

    // All VLFs in use. Nothing may be appended meanwhile. Returns the number of bytes read.
    ums::Task<std::uint64_t> audit();

private:
    ums::Task<void> audit_vlf(const VirtualLogFile& vlf);
    void report(const VirtualLogFile& vlf, std::uint64_t offset_bytes, FindingKind kind, const std::byte* image, std::string description);

    LogManager& log_;
    RunState& run_;
    Journal& journal_;
    std::uint64_t bytes_read_ = 0;
};

}  // namespace sim
