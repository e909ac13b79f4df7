// Where the log continues after a crash.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/log/virtual_log_files.hpp"

namespace sim {

// Each incarnation begins its log with a VLF sequence that is a multiple of this, so an LSN says whose it is, even if an earlier
// incarnation keeps writing without knowing of a later one.
inline constexpr std::uint32_t kVlfsPerIncarnation = 65536;

struct LogPosition {
    std::uint32_t incarnation = 1;    // of the run; it begins now
    std::uint64_t last_sequence = 0;  // of the block with which the log ended
    std::uint64_t last_lsn = 0;       // of its last record
    std::uint64_t next_sequence = 1;  // above that of any block ever seen
    std::uint32_t last_vlf = 0;       // the log continues with the next VLF sequence, which is above any ever seen
    std::vector<VlfPlace> places;     // all VLFs
    std::vector<UsedVlf> used;        // those that recovery needs until the next checkpoint; there is at least one more
};

}  // namespace sim
