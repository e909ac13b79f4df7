#include "sim/workers/checkpoint_pace.hpp"

#include "tests/support/catch.hpp"

using sim::CheckpointPace;
using sim::LogSpace;
using sim::redo_pages_per_s;

namespace {

constexpr std::uint64_t kShortBytes = 1'000'000;

LogSpace::Use used(std::uint64_t bytes) { return {bytes, kShortBytes, false}; }

}  // namespace

TEST_CASE("redo gets through as many pages as a file carries requests") {
    CHECK(redo_pages_per_s(10, 1000) == 10'000);
    CHECK(redo_pages_per_s(1, 50'000) == 100);
    CHECK(redo_pages_per_s(10, 0) == 1'000'000);  // too good to be true
}

TEST_CASE("a pass begins when there are more dirty pages than the target, or when a quarter of the log's room is used") {
    const CheckpointPace pace(100);
    CHECK_FALSE(pace.should_begin(100, used(0)));
    CHECK(pace.should_begin(101, used(0)));
    CHECK_FALSE(pace.should_begin(50, used(kShortBytes / 4 - 1)));
    CHECK(pace.should_begin(50, used(kShortBytes / 4)));
    CHECK_FALSE(pace.should_begin(0, used(kShortBytes)));
}

TEST_CASE("what is above the target is due, and no more than the pass has") {
    CheckpointPace pace(100);
    pace.begin(50, used(0));
    CHECK(pace.due_pages(0, 100, used(0)) == 0);
    CHECK(pace.due_pages(0, 120, used(0)) == 20);
    CHECK(pace.due_pages(0, 1000, used(0)) == 50);
    CHECK(pace.due_pages(45, 1000, used(0)) == 5);
}

TEST_CASE("a pass keeps ahead of the log, and is over before the log is short of space") {
    CheckpointPace pace(1'000'000);
    pace.begin(300, used(200'000));
    CHECK(pace.due_pages(0, 400, used(200'000)) == 0);
    // Three quarters of the room of 800,000 bytes are for the whole pass.
    CHECK(pace.due_pages(0, 400, used(400'000)) == 100);
    CHECK(pace.due_pages(80, 400, used(400'000)) == 20);
    CHECK(pace.due_pages(100, 400, used(400'000)) == 0);
    CHECK(pace.due_pages(100, 400, used(800'000)) == 200);
    CHECK(pace.due_pages(100, 400, used(kShortBytes)) == 200);
}

TEST_CASE("a pass that begins with a log that is short of space is due at once") {
    CheckpointPace pace(1'000'000);
    pace.begin(300, used(kShortBytes));
    CHECK(pace.due_pages(0, 300, used(kShortBytes)) == 300);
}
