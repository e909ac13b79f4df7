// `ioproof rehearse --hosts`: many seeds and faults side by side, and a table of the outcome.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/rehearse/rehearse_arguments.hpp"
#include "sim/rehearsal/hosts_report.hpp"

namespace cli {

// A line of the table.
struct HostsRow {
    std::string_view fault;
    sim::HostsTally tally;
};

// The terms for hosts in a rehearsal.
struct HostsWords {
    std::string_view first_line;  // heads the column of their number; 8 characters at most
    std::string_view second_line;
    std::string_view host;    // "owner": the host that is given a fault
    std::string_view series;  // "series of owners"
    std::string_view given;   // "a new owner"
};

// 80 columns. Pure.
[[nodiscard]] std::string hosts_table_text(const std::vector<HostsRow>& rows, const HostsWords& words);

// Throws std::bad_alloc if memory runs out.
ExitCode rehearse_hosts(const RehearseArguments& arguments, Console& console);

}  // namespace cli
