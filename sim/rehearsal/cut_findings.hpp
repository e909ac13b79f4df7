// What a verification found after a power cut, finding by finding, compared with what the files prove. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/rehearsal/crash_explanation.hpp"
#include "ums/io/power_cut.hpp"

namespace sim {

// Half a sentence for each finding that no proof explains by its place and its kind, and that names nothing that is really lost.
[[nodiscard]] std::vector<std::string> unexplained_findings(const CrashExplanation& explanation, const std::vector<ums::LostWrite>& lost,
                                                            const std::vector<Finding>& findings);

// Half a sentence for each proof that has no finding of its own, unless a documented rule says why: a log with a hole is to blame for all
// pages ahead of it, and the sums of a region are compared only if no other page of it is wrong.
[[nodiscard]] std::vector<std::string> proofs_without_finding(const CrashExplanation& explanation, const std::vector<Finding>& findings);

}  // namespace sim
