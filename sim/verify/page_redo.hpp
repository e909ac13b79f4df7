// What crash recovery makes of a page that lacks acknowledged writes. Pure.
#pragma once

#include <cstddef>

#include "sim/finding.hpp"
#include "sim/verify/page_judge.hpp"

namespace sim {

// Notes it in the finding, if that is a lost write. `page`: as it is, kPageBytes, 8-aligned.
void note_redo(Finding& finding, const std::byte* page, const ProvenPage& proven, const RecoveredLog& log);

}  // namespace sim
