// The log in virtual time: what a backup that copies it keeps from being reused.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/sim/support/log_tasks.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

namespace {

bool keeps_vlf(VirtualLog& log, std::uint32_t sequence) {
    const std::vector<sim::VirtualLogFile> used = log.log->used_vlfs();
    return std::any_of(used.begin(), used.end(), [sequence](const sim::VirtualLogFile& vlf) { return vlf.sequence == sequence; });
}

ums::Task<void> wait_for_copy(VirtualLog& log, bool& may_begin) {
    co_await log.log->wait_for_pinned_hold();
    may_begin = true;
}

}  // namespace

TEST_CASE("log that waits to be copied is kept, but only until it leaves less than a quarter of the log free") {
    VirtualWorld world;
    run_virtual_log(world, {.file_mb = {8}}, [](VirtualWorld&, VirtualLog& log) -> ums::Task<void> {
        static_cast<void>(log.log->mark_and_hold());
        co_await commit_up_to_vlf(log, 3);
        log.log->truncate(log.log->end_lsn());
        CHECK(keeps_vlf(log, 1));
        CHECK(keeps_vlf(log, 2));
        co_await commit_up_to_vlf(log, 4);
        log.log->truncate(log.log->end_lsn());
        for (const std::uint32_t sequence : {1U, 2U, 3U}) CHECK_FALSE(keeps_vlf(log, sequence));
        CHECK_FALSE(log.log->pin_hold());  // whoever wants to copy it learns that it is gone
    });
}

TEST_CASE("log that is being copied is never reused, and what was freed meanwhile is free as soon as it has been copied") {
    VirtualWorld world;
    run_virtual_log(world, {.file_mb = {8}}, [](VirtualWorld& w, VirtualLog& log) -> ums::Task<void> {
        static_cast<void>(log.log->mark_and_hold());
        co_await commit_up_to_vlf(log, 4);
        REQUIRE(log.log->pin_hold());
        log.log->truncate(log.log->end_lsn());
        for (const std::uint32_t sequence : {1U, 2U, 3U}) CHECK(keeps_vlf(log, sequence));

        bool has_room = false;
        bool may_begin = false;
        ums::TaskGroup waiting;
        ums::Scheduler::current().fork(waiting, reserve_and_note(log, 3'000'000, has_room));
        ums::Scheduler::current().fork(waiting, wait_for_copy(log, may_begin));  // as a checkpoint does
        co_await pause_ms(w, 10);
        CHECK_FALSE(has_room);
        CHECK_FALSE(may_begin);
        log.log->unpin_hold(3);
        co_await waiting.join();
        CHECK(has_room);
        CHECK(may_begin);
        CHECK_FALSE(keeps_vlf(log, 2));
        CHECK(keeps_vlf(log, 3));
        log.log->release_hold();
        CHECK_FALSE(keeps_vlf(log, 3));
        CHECK(keeps_vlf(log, 4));
    });
}
