// What a checkpoint logs besides its begin, and what a run that continues logs before its first checkpoint (format: log_layout.hpp). The
// log keeps room for all of it.
#pragma once

#include <cstdint>
#include <span>

#include "sim/log/log_manager.hpp"

namespace sim {

// A page whose last write failed permanently.
struct UnknownPage {
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    std::uint32_t version = 0;  // the newest one until then: of the write that failed, or of the image that was lost
};

// The sums as of the checkpoint's begin: at least one record for each file; and which files have been cut.
ums::Task<void> log_sums(LogManager& log, const PageSums& sums);

// The exceptions, then the end. Returns the LSN of the end. `promises_nothing`: too many pages are unknown to list them.
ums::Task<std::uint64_t> log_checkpoint_end(LogManager& log, const CheckpointBegin& begin, std::span<const UnknownPage> unknown,
                                            bool promises_nothing);

// The first record of an incarnation, hardened. False if the log has failed.
ums::Task<bool> log_resume(LogManager& log, const LogPosition& position);

}  // namespace sim
