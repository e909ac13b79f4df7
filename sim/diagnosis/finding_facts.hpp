// Turns evidence and verdict into a finding: facts, and one sentence for a person. Pure.
#pragma once

#include <string_view>

#include "sim/diagnosis/classifier.hpp"

namespace sim {

// Everything except path, times, re-reads and history.
[[nodiscard]] Finding make_finding(const Evidence& evidence, Verdict verdict);

// What later reads showed: the end of a description.
[[nodiscard]] std::string_view later_reads_text(const Evidence& evidence);

// Two images that came back for one page show the same fault if both are classified alike on the assumption that they stay.
[[nodiscard]] bool is_same_fault(const Finding& first, const Finding& staying);

}  // namespace sim
