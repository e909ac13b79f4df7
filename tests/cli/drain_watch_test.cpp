#include "cli/drain_watch.hpp"

#include "tests/support/catch.hpp"

using cli::DrainWatch;

namespace {

// After how many seconds without progress the run has stalled; 0: not within an hour.
int seconds_until_stalled(DrainWatch& watch, const sim::Progress& progress, bool must_end) {
    for (int second = 1; second <= 3600; ++second) {
        if (watch.has_stalled(progress, must_end)) return second;
    }
    return 0;
}

}  // namespace

TEST_CASE("a run that need not end never stalls") {
    DrainWatch watch;
    CHECK(seconds_until_stalled(watch, {}, false) == 0);
}

TEST_CASE("a run that must end has stalled when no request has come back for ten seconds") {
    DrainWatch watch;
    sim::Progress progress;
    for (int second = 0; second < 100; ++second) {
        if (second % 9 == 0) ++progress.io_count;
        REQUIRE_FALSE(watch.has_stalled(progress, true));
    }
    ++progress.io_count;
    REQUIRE_FALSE(watch.has_stalled(progress, true));
    CHECK(seconds_until_stalled(watch, progress, true) == DrainWatch::kDrainSecondsMax);
}

TEST_CASE("a run that closes its files has more time: deleting large ones takes a while") {
    DrainWatch watch;
    sim::Progress progress;
    progress.is_closing = true;
    CHECK(seconds_until_stalled(watch, progress, true) == DrainWatch::kClosingSecondsMax);
    CHECK(DrainWatch::kClosingSecondsMax >= 60 * DrainWatch::kDrainSecondsMax);
}

TEST_CASE("a run with lost requests is given up after ten seconds, but not while it closes its files: they have come back") {
    DrainWatch watch;
    sim::Progress progress;
    CHECK_FALSE(watch.has_lost_requests(progress));
    progress.lost_requests = 1;
    for (int second = 1; second < DrainWatch::kDrainSecondsMax; ++second) REQUIRE_FALSE(watch.has_lost_requests(progress));
    progress.is_closing = true;
    for (int second = 0; second < 100; ++second) REQUIRE_FALSE(watch.has_lost_requests(progress));
    progress.is_closing = false;
    CHECK(watch.has_lost_requests(progress));
}
