// A page as a power cut left it. Shares no code with sim/verify, which it is to judge. Pure.
#pragma once

#include <cstdint>

#include "ums/io/simulated_storage.hpp"

namespace sim {

struct LeftPage {
    bool is_whole = false;
    std::uint64_t lsn = 0;     // if whole
    std::uint32_t oldest = 0;  // versions of its sectors; 0: never written
    std::uint32_t newest = 0;
};

// The file must be long enough.
[[nodiscard]] LeftPage read_left_page(const ums::SimulatedFile& file, std::uint32_t page_id);

}  // namespace sim
