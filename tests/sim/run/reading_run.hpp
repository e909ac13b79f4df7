// Runs that only read, so that damage stays until it is found.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "tests/sim/support/run_fixture.hpp"

namespace sim::testing {

// All users that read pages, and none that write: damage stays until it is found.
inline Options reading_options(const std::string& folder, std::uint64_t seed) {
    Options options = quiet_options(folder);
    options.seed = seed;
    options.stop_on_error = false;
    options.files[0].initial_size_mb = options.files[0].max_size_mb = 4;
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 1;
    options.random_user.user_count = 2;
    options.random_user.read_write_ratio = 0;
    options.audit_user = {.user_count = 1, .buffers_validated_pages = 16, .delay_after_cycles = 1, .delay_ms = 100};
    options.read_ahead_user = {.user_count = 1, .min_pages = 8, .max_pages = 16, .delay_after_cycles = 1, .delay_ms = 50};
    return options;
}

inline std::multiset<std::uint64_t> pages_of(const std::vector<Finding>& findings) {
    std::multiset<std::uint64_t> pages;
    for (const Finding& finding : findings) pages.insert(finding.place.page_id);
    return pages;
}

}  // namespace sim::testing
