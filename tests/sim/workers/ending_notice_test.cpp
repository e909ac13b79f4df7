// What is reported while a run ends and requests are outstanding. In virtual time.
#include "sim/workers/ending_notice.hpp"

#include <cstdint>

#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Severity;

namespace {

ums::Task<void> write_changed_page(WorkerWorld& world, std::uint32_t page) {
    sim::PageWriter writer = world.context().make_writer();
    co_await writer.write_around(world.data(), page, true);
}

// Runs `body(world)` concurrently with the notice, with the write of one page outstanding if `holds`.
template <typename Body>
void run_noticed(WorkerWorld& world, bool holds, Body body) {
    world.run([&](WorkerWorld& w) -> ums::Task<void> {
        ums::Event stop;
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Monitor", sim::report_outstanding_io(w.context(), stop));
        co_await w.change_page(3);
        if (holds) w.hold_data_writes();
        (*w.schedulers)[0].spawn(tasks, "Writer", write_changed_page(w, 3));
        co_await body(w);
        w.release_data_writes();
        stop.set();
        co_await tasks.join();
    });
}

}  // namespace

TEST_CASE("nothing is reported while the run goes on, whatever is outstanding") {
    WorkerWorld world;
    run_noticed(world, true, [](WorkerWorld& w) -> ums::Task<void> { co_await w.sleep_ms(10'000); });
    CHECK(world.sink.count_of(Severity::info, "outstanding") == 0);
}

TEST_CASE("while the main run ends, outstanding requests are reported every three seconds") {
    WorkerWorld world;
    run_noticed(world, true, [](WorkerWorld& w) -> ums::Task<void> {
        co_await w.sleep_ms(500);
        w.state.end_users();
        const sim::OutstandingIo outstanding = sim::outstanding_io(*w.schedulers, w.clock.now_ns());
        CHECK(outstanding.count == 1);
        CHECK(outstanding.oldest_us > 490'000);
        CHECK(outstanding.oldest_us <= 500'000);
        co_await w.sleep_ms(9000);
    });
    CHECK(world.sink.count_of(Severity::info, "Ending the main run: 1 request outstanding, the oldest for ") == 3);
    CHECK(world.sink.count_of(Severity::info, "the oldest for 3.0 s.") == 1);
}

TEST_CASE("the notice of a run that is stopped says so") {
    WorkerWorld world;
    run_noticed(world, true, [](WorkerWorld& w) -> ums::Task<void> {
        co_await w.sleep_ms(500);
        w.state.stop(sim::Outcome::stopped, "somebody pressed Ctrl-C");
        co_await w.sleep_ms(4000);
    });
    CHECK(world.sink.count_of(Severity::info, "Stopping the run: 1 request outstanding") == 1);
}

TEST_CASE("if nothing is outstanding, the end is silent") {
    WorkerWorld world;
    run_noticed(world, false, [](WorkerWorld& w) -> ums::Task<void> {
        co_await w.sleep_ms(500);
        w.state.end_users();
        co_await w.sleep_ms(9000);
    });
    CHECK(world.sink.count_of(Severity::info, "outstanding") == 0);
}

TEST_CASE("when the oldest request has come back, the next one is the oldest") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        for (const std::uint32_t page : {3U, 90U}) co_await w.change_page(page);
        w.hold_data_writes();
        ums::TaskGroup tasks;
        for (const std::uint32_t page : {3U, 90U}) {
            (*w.schedulers)[0].spawn(tasks, "Writer", write_changed_page(w, page));
            co_await w.sleep_ms(500);
        }
        REQUIRE(w.storage.held_count() == 2);
        CHECK(sim::outstanding_io(*w.schedulers, w.clock.now_ns()).oldest_us > 900'000);
        CHECK(w.storage.release_first());
        co_await w.sleep_ms(1);
        const sim::OutstandingIo left = sim::outstanding_io(*w.schedulers, w.clock.now_ns());
        CHECK(left.count == 1);
        CHECK(left.oldest_us > 490'000);
        CHECK(left.oldest_us <= 502'000);
        w.release_data_writes();
        co_await tasks.join();
        CHECK(sim::outstanding_io(*w.schedulers, w.clock.now_ns()).oldest_us == 0);
    });
}
