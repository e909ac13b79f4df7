// What a run in a group reports about the others, and what a finding means among them, for people.
#pragma once

#include <string>
#include <string_view>

#include "sim/group/group_fact.hpp"
#include "sim/results.hpp"

namespace reports {

// The usual causes, and where to look.
[[nodiscard]] std::string_view hint_of(sim::GroupFactKind kind);

// Empty for a run without a group.
[[nodiscard]] std::string group_text(const sim::Results& results);

}  // namespace reports
