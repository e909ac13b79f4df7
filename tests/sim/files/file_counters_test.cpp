#include "sim/files/file_counters.hpp"

#include "tests/support/catch.hpp"

using sim::FileCountersPerCpu;

TEST_CASE("requests of all CPUs are outstanding until they come back, and never fewer than none") {
    FileCountersPerCpu counters(2);
    counters[0].posted.add(3);
    counters[1].posted.add(2);
    counters[1].returned.add(1);
    CHECK(outstanding_of(counters) == 4);
    counters[0].returned.add(5);  // another CPU may see this before it sees that they were posted
    CHECK(outstanding_of(counters) == 0);
}

TEST_CASE("pages of all CPUs are dirty until they are written, and never fewer than none") {
    FileCountersPerCpu counters(2);
    counters[0].pages_dirtied.add(3);
    counters[1].pages_cleaned.add(1);
    CHECK(dirty_pages_of(counters) == 2);
    counters[1].pages_cleaned.add(5);
    CHECK(dirty_pages_of(counters) == 0);
}
