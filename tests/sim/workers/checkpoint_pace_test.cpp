#include "sim/workers/checkpoint_pace.hpp"

#include "tests/support/catch.hpp"

using sim::CheckpointPace;
using sim::LogSpace;
using sim::redo_pages_per_s;

namespace {

constexpr std::uint64_t kShortBytes = 1'000'000;

LogSpace::Use used(std::uint64_t bytes) { return {bytes, kShortBytes, false}; }

}  // namespace

TEST_CASE("the rate of redo follows from the number of requests that a file carries") {
    CHECK(redo_pages_per_s(10, 1000) == 10'000);
    CHECK(redo_pages_per_s(1, 50'000) == 100);
    CHECK(redo_pages_per_s(10, 0) == 1'000'000);  // too good to be true
}

TEST_CASE("a pass begins when there are more dirty pages than the target, or when a quarter of the log's space is used") {
    const CheckpointPace pace(100);
    CHECK_FALSE(pace.should_begin(100, used(0)));
    CHECK(pace.should_begin(101, used(0)));
    CHECK_FALSE(pace.should_begin(50, used(kShortBytes / 4 - 1)));
    CHECK(pace.should_begin(50, used(kShortBytes / 4)));
    CHECK_FALSE(pace.should_begin(0, used(kShortBytes)));
}

TEST_CASE("pages above the target are due, but no more than the pass has") {
    CheckpointPace pace(100);
    pace.begin(50, used(0));
    CHECK(pace.due_pages(0, 100, used(0)) == 0);
    CHECK(pace.due_pages(0, 120, used(0)) == 20);
    CHECK(pace.due_pages(0, 1000, used(0)) == 50);
    CHECK(pace.due_pages(45, 1000, used(0)) == 5);
}

TEST_CASE("a pass keeps ahead of the log, and ends before the log runs short of space") {
    CheckpointPace pace(1'000'000);
    pace.begin(300, used(200'000));
    CHECK(pace.due_pages(0, 400, used(200'000)) == 0);
    // The entire pass has three quarters of the space of 800,000 bytes.
    CHECK(pace.due_pages(0, 400, used(400'000)) == 100);
    CHECK(pace.due_pages(80, 400, used(400'000)) == 20);
    CHECK(pace.due_pages(100, 400, used(400'000)) == 0);
    CHECK(pace.due_pages(100, 400, used(800'000)) == 200);
    CHECK(pace.due_pages(100, 400, used(kShortBytes)) == 200);
}

TEST_CASE("a pass that begins when the log is short of space is due immediately") {
    CheckpointPace pace(1'000'000);
    pace.begin(300, used(kShortBytes));
    CHECK(pace.due_pages(0, 300, used(kShortBytes)) == 300);
}

using sim::SlowWrites;

TEST_CASE("writes that take too long halve the writers, down to one, and fast writes restore them one by one") {
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
    // Nothing has been written since, so nothing was slow.
    slow.look(writes, time_us);
    CHECK(slow.allowed() == 2);
}

TEST_CASE("without a limit no write is too long") {
    SlowWrites slow(0, 16);
    slow.look(1, 1'000'000'000);
    CHECK(slow.allowed() == 16);
    CHECK_FALSE(slow.is_on());
}
