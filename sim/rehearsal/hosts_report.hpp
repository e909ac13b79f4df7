// What the rehearsals with several hosts have in common: what was done to a host, what it found, and how the two are compared.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/finding.hpp"
#include "sim/results.hpp"

namespace sim {

struct HostsTally {
    std::uint64_t hosts = 0;   // that took files over, or read them
    std::uint64_t losses = 0;  // series in which a host was lost (HostLoss)
    std::uint64_t injected = 0;
    std::uint64_t given = 0;         // of these, those that the host was given to read, and so must find
    std::uint64_t found = 0;         // of these
    std::uint64_t named_right = 0;   // of those
    std::uint64_t false_alarms = 0;  // findings that no fault explains, second findings of a fault, and runs that ended the wrong way

    void add(const HostsTally& other);
    [[nodiscard]] bool is_good() const { return found == given && named_right == found && false_alarms == 0; }
};

struct HostsReport {
    HostsTally tally;
    std::string text;     // what was done, and what was found
    std::string problem;  // missed, named wrongly, or blamed wrongly; otherwise empty
};

// A fault, as far as it concerns one host.
struct HostsFault {
    std::string what;  // for people
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    bool was_given = false;
    bool may_be_found_again = false;  // in a page that keeps changing, each finding is about another image
    std::function<bool(const Finding& finding)> is_named_right;
};

[[nodiscard]] std::string text_of(const Finding& finding);

// How a host's run ended, and how it must end if it finds nothing: one that could not look at all must not report that all was right. With
// findings it must fail.
struct HostsEnd {
    Outcome outcome = Outcome::passed;
    Outcome expected = Outcome::passed;
};

// Compares what was done to the host `where` with what it found and how it ended, and adds the result to the report.
void judge_host(std::string_view where, std::span<const HostsFault> faults, const std::vector<Finding>& findings, HostsEnd end,
                HostsReport& report);

}  // namespace sim
