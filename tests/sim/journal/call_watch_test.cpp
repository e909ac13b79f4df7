#include "sim/journal/call_watch.hpp"

#include "sim/journal/journal.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"

using sim::Severity;

namespace {

struct WatchWorld {
    ums::VirtualClock clock;
    sim::testing::CollectingSink sink;
    sim::Journal journal{clock, sink};

    // What the control thread does every second.
    void pass(std::uint64_t seconds) {
        for (; seconds > 0; --seconds) {
            clock.advance_to(clock.now_ns() + ums::kNsPerSecond);
            journal.calls().look();
        }
    }
};

}  // namespace

TEST_CASE("a call that lasts longer than 15 seconds is reported once while it lasts, and once when it is over, and is no finding") {
    WatchWorld world;
    {
        const sim::WatchedCall call(world.journal, "sync", "/x/one.mdx");
        world.pass(14);
        CHECK(world.sink.events().empty());
        CHECK(world.journal.calls().long_calls().empty());
        world.pass(31);
        CHECK(world.sink.count_of(Severity::warning, "sync of /x/one.mdx has not returned for 15000 ms.") == 1);
        CHECK(world.sink.events().size() == 1);
        const auto calls = world.journal.calls().long_calls();
        REQUIRE(calls.size() == 1);
        CHECK(calls[0].name == "sync");
        CHECK(calls[0].path == "/x/one.mdx");
        CHECK(calls[0].duration_us == 45'000'000);
    }
    CHECK(world.journal.calls().long_calls().empty());
    world.pass(100);
    CHECK(world.sink.count_of(Severity::warning, "sync of /x/one.mdx returned after 45000 ms.") == 1);
    CHECK(world.sink.events().size() == 2);
    CHECK(world.sink.findings().empty());
    CHECK(world.journal.warning_count() == 0);
}

TEST_CASE("if the whole process stood still, a warning says so, because what was outstanding then looks late") {
    WatchWorld world;
    world.clock.advance_to(3600 * ums::kNsPerSecond);  // before the first look
    world.pass(10);
    CHECK(world.sink.events().empty());
    world.clock.advance_to(world.clock.now_ns() + 17 * ums::kNsPerSecond);
    world.pass(10);
    CHECK(world.sink.count_of(Severity::warning, "This process did not run for about 18 s") == 1);
    CHECK(world.sink.count_of(Severity::warning, "may count as late") == 1);  // those that were out for long enough
    CHECK(world.sink.events().size() == 1);
    CHECK(world.journal.warning_count() == 0);
}

TEST_CASE("the process has not stood still if the thread that looks was held up by its own work, as by a console on a disk that hangs") {
    WatchWorld world;
    world.pass(3);
    world.journal.calls().expect_looks(false);
    world.clock.advance_to(world.clock.now_ns() + 60 * ums::kNsPerSecond);
    const bool does_run_end = GENERATE(true, false);  // which looks once more, on its own thread
    if (does_run_end) world.journal.calls().look();
    world.journal.calls().expect_looks(true);
    world.pass(3);
    CHECK(world.sink.events().empty());
    world.clock.advance_to(world.clock.now_ns() + 10 * ums::kNsPerSecond);
    world.journal.calls().expect_looks(false);  // the message of a late request wakes the thread before its second is over
    world.journal.calls().expect_looks(true);
    world.pass(1);
    CHECK(world.sink.count_of(Severity::warning, "This process did not run for about 10 s") == 1);
    CHECK(world.sink.events().size() == 1);
}

TEST_CASE("of several calls at the same time each is watched by itself") {
    WatchWorld world;
    const sim::WatchedCall first(world.journal, "opening", "one");
    world.pass(10);
    {
        const sim::WatchedCall second(world.journal, "opening", "two");
        world.pass(10);
        CHECK(world.journal.calls().long_calls().size() == 1);
    }
    world.pass(10);
    CHECK(world.sink.count_of(Severity::warning, "opening of one has not returned for 15000 ms.") == 1);
    CHECK(world.sink.events().size() == 1);
}
