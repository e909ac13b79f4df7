// Evidence and verdict as a finding: facts, and one sentence for a person. Pure.
#pragma once

#include "sim/diagnosis/classifier.hpp"

namespace sim {

// All but path, times, re-reads and history.
[[nodiscard]] Finding make_finding(const Evidence& evidence, Verdict verdict);

// Two images that came back for one page are of the same fault if they get the same name once both are said to stay.
[[nodiscard]] bool is_same_fault(const Finding& first, const Finding& staying);

}  // namespace sim
