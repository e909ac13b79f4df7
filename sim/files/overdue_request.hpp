// A request that has been out for too long: a warning after 15 seconds; after two minutes it counts as lost, which is a finding and the end
// of the run. Nobody can say that it never will come; but whoever waits for it cannot go on.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/finding.hpp"
#include "sim/options.hpp"
#include "sim/run/journal.hpp"
#include "sim/run/run_state.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

// Looks at one that is still out, and says each thing once. `report` takes the finding. On the thread of the request's scheduler.
void judge_overdue(ums::IoRequest& request, std::uint32_t file_id, const FileOptions& file, RunState& run, Journal& journal,
                   const std::function<void(Finding)>& report);

}  // namespace sim
