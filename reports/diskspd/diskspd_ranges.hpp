// Maps a distribution of random requests (-rd) to a target of a given size. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "reports/diskspd/diskspd_profile.hpp"

namespace reports {

// In bytes from the beginning of the target (its base). Ranges that extend beyond its end are cut or left out; the remaining requests go to
// the rest of the target. Empty without a distribution.
std::vector<DiskspdRange> effective_ranges(const DiskspdTarget& target, std::uint64_t size_bytes);

}  // namespace reports
