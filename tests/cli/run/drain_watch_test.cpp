#include "cli/run/drain_watch.hpp"

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

namespace {

// After how many seconds a call has hung that began when the run ceased to get anywhere; 0: not within two hours. Each second `each`
// changes the progress.
template <typename Change>
int seconds_until_hung(sim::Progress progress, Change each) {
    DrainWatch watch;
    for (int second = 1; second <= 7200; ++second) {
        if (second >= 15 && progress.long_calls.empty()) progress.long_calls.push_back({.name = "sync", .path = "/x/data.mdx"});
        for (sim::Progress::Call& call : progress.long_calls) call.duration_us = static_cast<std::uint64_t>(second) * 1'000'000;
        each(progress, second);
        const sim::Progress::Call* const call = watch.hung_call(progress);
        if (call == nullptr) continue;
        CHECK(call->name == "sync");
        CHECK(call->path == "/x/data.mdx");
        return second;
    }
    return 0;
}

}  // namespace

TEST_CASE("a run that nobody stops waits an hour for a call that does not return, if nothing else goes on") {
    sim::Progress progress;
    progress.phase = sim::Phase::final_audit;
    const int hung = seconds_until_hung(progress, [](sim::Progress&, int) {});
    CHECK(hung >= DrainWatch::kCallSecondsMax);
    CHECK(hung < DrainWatch::kCallSecondsMax + 60);
    CHECK(seconds_until_hung(progress, [](sim::Progress& now, int second) { now.io_count += second % 600 == 0 ? 1 : 0; }) == 0);
    CHECK(seconds_until_hung(progress, [](sim::Progress& now, int second) {
              now.long_calls.resize(second >= 15 ? 1 : 0);  // one call after the other
              if (second >= 15) now.long_calls[0] = {.name = "sync", .path = "/x/data.mdx", .duration_us = 20'000'000};
          }) == 0);
}

TEST_CASE("a run that creates its files waits for its calls, however long they take") {
    sim::Progress progress;
    progress.is_creating = true;
    CHECK(seconds_until_hung(progress, [](sim::Progress&, int) {}) == 0);
}

TEST_CASE("a verification, or a run that continues, waits an hour for a file that cannot be opened: there is nothing to create") {
    sim::Progress progress;
    progress.phase = sim::Phase::create;
    CHECK(seconds_until_hung(progress, [](sim::Progress&, int) {}) >= DrainWatch::kCallSecondsMax);
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
