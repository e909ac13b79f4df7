// `ioproof rehearse --hosts`: many seeds and faults side by side, and what comes out of them.
#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "cli/rehearse_arguments.hpp"
#include "sim/rehearsal/hand_over.hpp"

namespace cli {

// A line of the table.
struct HandOverRow {
    sim::HandOverFault fault{};
    sim::HandOverTally tally;
};

// 80 columns. Pure.
[[nodiscard]] std::string hand_over_table_text(const std::vector<HandOverRow>& rows);

// Throws std::bad_alloc if memory does not last.
ExitCode rehearse_hosts(const RehearseArguments& arguments, Console& console);

}  // namespace cli
