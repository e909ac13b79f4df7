// Whose write it was: identifies the member of a group from which a wrong image comes. Pure.
//
// Among the owners of one run, the log sequence number decides. Each incarnation begins its log in its own range of VLF sequences
// (kVlfsPerIncarnation), so an LSN says whose it is; one that is after the end of the log as the new owner found it, and before the new
// owner's first one, comes from an owner that did not know that it had lost the files. Hosts' clocks are used only if LSNs say nothing,
// corrected by their offset from the witness, and with a margin for the error of the measurement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/group/group_fact.hpp"
#include "sim/group/group_result.hpp"
#include "sim/group/run_group.hpp"

namespace sim {

// One owner of a run's files: which host, and which part of the log it wrote.
struct KnownOwner {
    std::uint32_t rank = 0;
    std::string host;
    std::uint32_t incarnation = 0;
    std::uint32_t first_vlf = 0;
    std::uint64_t ended_utc_us = 0;  // by the witness's clock; 0: not yet
    std::int64_t clock_offset_us = 0;
    std::uint64_t last_lsn = 0;  // of the log as the next owner found it; 0: unknown
    bool ended_in_order = false;
};

struct GroupKnowledge {
    std::uint64_t run_id = 0;  // our own
    std::uint32_t rank = 0;
    std::vector<GroupMemberResult> members;
    std::vector<KnownOwner> owners;      // before this one, in order; of very many, the last ones
    std::optional<TakeOver> taken_over;  // nothing: the files are being verified, or were recreated
    bool is_taking_over = false;         // this run has not owned the files from the beginning
    bool is_reading = false;             // it never owns them: `owners` has the one that does
    std::string host;                    // of this run
    std::int64_t clock_offset_us = 0;    // of this host
};

// Fills in `finding.group_fact` if the group explains it.
void explain(Finding& finding, const GroupKnowledge& group);

}  // namespace sim
