// One fault as its maker knows it: where it is, how a verifying program must classify it, and whether it ever gave wrong data to the
// program under test. Plain data; none of it comes from that program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/finding.hpp"

namespace sim {

struct FaultRange {
    std::string path;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
};

struct InjectedFault {
    std::uint64_t number = 0;              // 1, 2, … in order of injection
    FindingKind kind{};                    // as requested
    FindingKind expected{};                // as it must be classified: what the evidence allows (docs/fault_model.md)
    std::optional<FindingKind> or_else{};  // allowed: evidence may vanish before the diagnosis, or a run that stops not see all
    std::string what;                      // how it was made, for people
    std::string path;
    std::uint64_t offset_bytes = 0;  // what is wrong
    std::uint64_t size_bytes = 0;
    std::vector<FaultRange> more{};  // also wrong; a finding about one of them repeats the same
    bool transient = false;          // goes away by itself when it is read or tried again
    bool is_warning = false;
    bool is_write = false;        // of requests that fail or end early: they are writes
    bool is_sync = false;         // of the whole file, without a place
    bool is_in_chain = false;     // of a chunk of the backup chain
    bool is_in_log_copy = false;  // of a log block, made when a backup read it: the backup must find it
    std::string phase;            // at the injection
    std::uint64_t at_ns = 0;
    // The program was given wrong data, or an error. False for a fault that was overwritten first.
    bool exposed = false;
    std::uint64_t exposed_ns = 0;
    bool was_glimpsed = false;    // a search has seen it
    bool is_too_late = false;     // only then, the run was already ending, so it need not be reported
    std::uint64_t partner = 0;    // number of the other end of a misdirected write; 0: none
    bool went_elsewhere = false;  // misdirected write: the end that did not get its image
    // The page whose image was returned, or to which this page's image went.
    std::string other_path;
    std::uint32_t other_page = 0;
};

}  // namespace sim
