// What the tests of rehearsals with several hosts have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "sim/rehearsal/hosts_report.hpp"
#include "tests/support/catch.hpp"

namespace sim::testing {

// Adds up the reports of `rehearse(seed)` for the first `seeds` seeds. None may miss, misname or invent anything.
template <typename Rehearse>
void add_rehearsals(std::uint64_t seeds, HostsTally& sum, Rehearse rehearse) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const HostsReport report = rehearse(seed);
        INFO(report.text << report.problem);
        CHECK(report.problem == "");
        CHECK(report.tally.is_good());
        sum.add(report.tally);
    }
}

// Each of the `count` kinds has its own name, and `kind_of` finds it by that name.
template <typename Kind>
void check_names(std::uint32_t count, std::optional<Kind> (*kind_of)(std::string_view name)) {
    std::set<std::string_view> names;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto kind = static_cast<Kind>(i);
        names.insert(name_of(kind));
        CHECK(kind_of(name_of(kind)) == kind);
    }
    CHECK(names.size() == count);
    CHECK_FALSE(kind_of("ghost"));
}

}  // namespace sim::testing
