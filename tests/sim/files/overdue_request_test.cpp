// Requests that do not complete: a warning after 15 seconds, given up after two minutes. In virtual time.
#include "sim/files/overdue_request.hpp"

#include <cstdint>

#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::FindingKind;
using sim::Severity;

namespace {

// Holds back a write of one page for this long while the monitor watches. `paused_s`: meanwhile everything stands still for so long.
void run_held_write(WorkerWorld& world, std::uint64_t seconds, std::uint64_t paused_s = 0) {
    world.run([&](WorkerWorld& w) -> ums::Task<void> {
        ums::Event stop;
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Monitor", sim::watch_for_long_io(w.context().run, w.context().journal, stop));
        w.hold_data_writes();
        co_await w.change_page(3);
        auto write = [](WorkerWorld& of) -> ums::Task<void> {
            sim::PageWriter writer = of.context().make_writer();
            co_await writer.write_around(of.data(), 3, true);
        };
        (*w.schedulers)[0].spawn(tasks, "Writer", write(w));
        co_await w.sleep_ms(seconds * 500);
        w.clock.advance_to(w.clock.now_ns() + paused_s * ums::kNsPerSecond);
        co_await w.sleep_ms(seconds * 500);
        w.release_data_writes();
        stop.set();
        co_await tasks.join();
    });
}

}  // namespace

TEST_CASE("a request of 14 seconds is not reported") {
    WorkerWorld world;
    run_held_write(world, 14);
    CHECK(world.sink.count_of(Severity::warning) == 0);
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a request that has been outstanding for 15 seconds is reported by a single warning while it is outstanding") {
    WorkerWorld world;
    run_held_write(world, 60);
    CHECK(world.sink.count_of(Severity::warning, "has been outstanding for 15") == 1);
    CHECK(world.sink.count_of(Severity::warning, "has been outstanding for") == 1);
    CHECK(world.state.lost_requests() == 0);
    CHECK(!world.state.is_stopping());
}

TEST_CASE("a request that has been outstanding for two minutes is one finding and ends the run") {
    WorkerWorld world;
    run_held_write(world, 200);
    std::size_t stalled = 0;
    for (const sim::Finding& finding : world.sink.findings()) {
        if (finding.kind != FindingKind::stalled_io) continue;
        ++stalled;
        CHECK(finding.place.path == world.options.files[0].path);
        CHECK(or_empty(finding.failure).duration_us >= 120'000'000);
        CHECK(or_empty(finding.failure).duration_us < 121'000'000);
    }
    CHECK(stalled == 1);
    CHECK(world.state.lost_requests() == 1);
    CHECK(world.state.outcome() == sim::Outcome::failed);
}

TEST_CASE("a request that came back while the whole process stood still is late, not lost") {
    WorkerWorld world;
    run_held_write(world, 1, 300);
    CHECK(world.state.lost_requests() == 0);
    CHECK(!world.state.is_stopping());
    REQUIRE(world.sink.findings().size() == 1);
    CHECK(world.sink.findings()[0].kind == FindingKind::stalled_io);
    CHECK(world.sink.findings()[0].is_warning);
}

TEST_CASE("a request that stays out after the whole process stood still is found all the same") {
    WorkerWorld world;
    run_held_write(world, 10, 300);
    CHECK(world.state.lost_requests() == 1);
    CHECK(world.state.outcome() == sim::Outcome::failed);
}
