#include "sim/workers/slow_writes.hpp"

#include "tests/support/catch.hpp"

using sim::SlowWrites;

TEST_CASE("writes that take too long halve the writers, down to one, and writes that do not give them back one by one") {
    SlowWrites slow(50, 16);
    std::uint64_t writes = 10;
    std::uint64_t time_us = 10 * 50'000;
    slow.look(writes, time_us);
    CHECK(slow.allowed() == 16);
    for (const std::uint32_t left : {8U, 4U, 2U, 1U, 1U}) {
        slow.look(++writes, time_us += 60'000);
        CHECK(slow.allowed() == left);
    }
    slow.look(++writes, time_us += 50'000);
    CHECK(slow.allowed() == 2);
    // Nothing was written since: nothing was slow.
    slow.look(writes, time_us);
    CHECK(slow.allowed() == 2);
}

TEST_CASE("without a limit no write is too long") {
    SlowWrites slow(0, 16);
    slow.look(1, 1'000'000'000);
    CHECK(slow.allowed() == 16);
    CHECK_FALSE(slow.is_on());
}
