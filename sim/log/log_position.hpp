// Where the log of a run goes on that a crash has cut off.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/log/virtual_log_files.hpp"

namespace sim {

// An incarnation begins its log with a VLF sequence that is a multiple of this: so an LSN says whose it is, also where an earlier
// incarnation goes on writing without knowing of a later one.
inline constexpr std::uint32_t kVlfsPerIncarnation = 65536;

struct LogPosition {
    std::uint32_t incarnation = 1;    // of the run, that begins now
    std::uint64_t last_sequence = 0;  // of the block with which the log ended
    std::uint64_t last_lsn = 0;       // of its last record
    std::uint64_t next_sequence = 1;  // above that of any block that was ever seen
    std::uint32_t last_vlf = 0;       // the log goes on with the VLF sequence behind it, which is above any that was ever seen
    std::vector<VlfPlace> places;     // all VLFs
    std::vector<UsedVlf> used;        // those that recovery needs until the next checkpoint; at least one more is there
};

}  // namespace sim
