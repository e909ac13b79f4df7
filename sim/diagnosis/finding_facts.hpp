// Evidence and verdict as a finding: facts, and one sentence for a person. Pure.
#pragma once

#include "sim/diagnosis/classifier.hpp"

namespace sim {

// Everything except path, times, re-reads and history.
[[nodiscard]] Finding make_finding(const Evidence& evidence, Verdict verdict);

// Two images that came back for one page show the same fault if they get the same name when both are assumed to stay.
[[nodiscard]] bool is_same_fault(const Finding& first, const Finding& staying);

}  // namespace sim
