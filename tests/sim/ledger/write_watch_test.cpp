// What a task that does not hold a page learns about writes of it.
#include "sim/ledger/write_watch.hpp"

#include <cstdint>
#include <optional>

#include "tests/support/catch.hpp"

using sim::WatchedWrite;
using sim::WriteWatch;

TEST_CASE("a page that is not written meanwhile is quiet") {
    WriteWatch watch;
    { const WatchedWrite before(watch, 7, 2); }
    const std::optional<std::uint64_t> mark = watch.mark(8);
    REQUIRE(mark);
    const WatchedWrite beside(watch, 9, 1);
    CHECK(watch.is_quiet_since(8, *mark));
}

TEST_CASE("a page has no mark while it is written") {
    WriteWatch watch;
    std::optional<WatchedWrite> first;
    first.emplace(watch, 7, 2);
    CHECK_FALSE(watch.mark(7));
    CHECK_FALSE(watch.mark(8));
    {
        const WatchedWrite second(watch, 8, 1);
        first.reset();
        CHECK(watch.mark(7));
        CHECK_FALSE(watch.mark(8));
    }
    CHECK(watch.mark(8));
}

TEST_CASE("a page whose write began after the mark is not quiet, whether the write is over or not") {
    WriteWatch watch;
    const std::optional<std::uint64_t> mark = watch.mark(8);
    REQUIRE(mark);
    {
        const WatchedWrite write(watch, 7, 2);
        CHECK_FALSE(watch.is_quiet_since(8, *mark));
    }
    CHECK_FALSE(watch.is_quiet_since(8, *mark));
}
