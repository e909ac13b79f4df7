// Says what a finding means among several hosts: the other host's page, a late write, an owner that still writes after it was replaced.
// Judges by ids and by log sequence numbers alone: hosts' clocks are not trusted. Pure.
//
// An LSN says whose a change is: each owner of the files begins its log above all that was seen, so what it wrote while it was the owner
// has an LSN of its own range, and what it writes afterwards has one that is in no range. docs/hosts.md argues each rule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/promises/promises.hpp"

namespace sim {

struct GroupKnowledge {
    enum class Role : std::uint8_t {
        side_by_side,  // has files of its own
        owner,         // has taken over files that others had before
        reader,        // reads files that somebody else writes
    };
    // Another run of the group, with its own files.
    struct Member {
        std::uint32_t rank = 0;
        std::string host;
        std::uint64_t run_id = 0;
        std::map<std::uint32_t, std::string> files;  // paths by file id
    };
    // Who has owned these files, and the LSNs of the log that count.
    struct Owner {
        std::uint32_t incarnation = 0;
        std::uint32_t rank = 0;
        std::string host;
        std::uint64_t first_lsn = 0;
        std::uint64_t last_lsn = 0;  // of the log as its successor found it
        bool ended_in_order = false;
    };

    Role role = Role::side_by_side;
    std::uint64_t run_id = 0;  // of this run
    std::vector<Member> members;
    std::vector<Owner> owners;  // in order; the last is the one before this process until `has_taken_over`, then this process
    bool has_taken_over = false;
    const Promises* at_hand_over = nullptr;  // what was promised when this owner began; null: not known. Outlives the knowledge
};

// Sets the fact of the finding, or leaves it as it is if there is nothing to say.
void explain(Finding& finding, const GroupKnowledge& knowledge);

}  // namespace sim
