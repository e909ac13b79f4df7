// Everything that is known about a finding, for the engineers of the storage's vendor: first the verdict in words, then the evidence. Pure
// except for the local time zone. Plain text of at most 100 columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/finding.hpp"

namespace reports {

// A line about the run: "engine", "uring".
struct DumpFact {
    std::string name;
    std::string text;
};

// `version`: the program's. `run`: what all findings of the run have in common.
std::string dump_text(const sim::Finding& finding, std::string_view version, const std::vector<DumpFact>& run = {});

}  // namespace reports
