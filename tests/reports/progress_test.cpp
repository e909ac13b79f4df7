#include "reports/progress_line.hpp"
#include "tests/support/catch.hpp"

using namespace reports;

namespace {

sim::Progress example_progress() {
    sim::Progress progress;
    progress.phase = sim::Phase::main_run;
    progress.elapsed_us = 83'000'000;
    progress.phase_duration_us = 300'000'000;
    progress.files = {{"/data/sqliosim.mdx", 412, 100}, {"/log/sqliosim.ldx", 1'233, 8}};
    return progress;
}

constexpr ProgressRates kRates{12'345, 96.1};

// The column at which a field begins, which must not depend on the number of digits.
std::size_t place_of(const std::string& line, std::string_view token) { return line.find(token); }

}  // namespace

TEST_CASE("rates are those of the last interval") {
    ProgressMeter meter;
    sim::Progress progress;
    progress.io_count = 1'000;
    progress.io_bytes = 8 << 20;
    CHECK(meter.update(progress, 2'000'000).ios_per_second == 500.0);
    progress.io_count = 1'500;
    progress.io_bytes = 12 << 20;
    const ProgressRates rates = meter.update(progress, 500'000);
    CHECK(rates.ios_per_second == 1'000.0);
    CHECK(rates.mb_per_second == 8.0);
}

TEST_CASE("zero time and zero progress give no nonsense") {
    ProgressMeter meter;
    sim::Progress progress;
    progress.io_count = 1'000;
    CHECK(meter.update(progress, 1'000'000).ios_per_second == 1'000.0);
    CHECK(meter.update(progress, 0).ios_per_second == 1'000.0);
    progress.io_count = 990;  // a snapshot that lags behind
    CHECK(meter.update(progress, 1'000'000).ios_per_second == 0.0);
    progress.io_count = 1'100;
    CHECK(meter.update(progress, 1'000'000).ios_per_second == 100.0);
}

TEST_CASE("the line for a terminal has the expected text") {
    CHECK(progress_line(example_progress(), kRates, 79) ==
          "main run            01:23 -03:37  12.3k/s    96.1 MB/s  avg  1.2 ms  findings 0");
    CHECK(progress_line(example_progress(), kRates, 90) ==
          "main run            01:23 -03:37  12.3k/s    96.1 MB/s  avg  1.2 ms  findings 0           ");
}

TEST_CASE("fields keep their places while numbers grow") {
    sim::Progress progress = example_progress();
    const std::string small = progress_line(progress, {0, 0}, 79);
    progress.phase = sim::Phase::initial_checkpoint;
    progress.phase_duration_us = 0;
    progress.elapsed_us = 45'000'000'000;
    progress.files[0].average_io_duration_us = 5'000'000;
    progress.findings = 3;
    const std::string large = progress_line(progress, {9'870'000, 9'999.9}, 79);
    CHECK(large == "initial checkpoint  12h30  --:--  9.87M/s  9999.9 MB/s  avg 5000 ms  FINDINGS 3");
    for (const char* token : {"/s", " MB/s", "avg", " ms"}) CHECK(place_of(small, token) == place_of(large, token));
}

TEST_CASE("the cycle is shown if there is more than one") {
    sim::Progress progress = example_progress();
    progress.cycle = 2;
    progress.cycles = 5;
    CHECK_THAT(progress_line(progress, kRates, 100), ContainsSubstring("main run            cycle 2/5  01:23"));
    progress.cycles = 0;
    CHECK_THAT(progress_line(progress, kRates, 100), ContainsSubstring("main run            cycle 2  01:23"));
}

TEST_CASE("every width is kept, and findings are the last to go") {
    sim::Progress progress = example_progress();
    progress.findings = 7;
    progress.cycles = 0;
    for (std::size_t width = 1; width <= 140; ++width) {
        const std::string line = progress_line(progress, kRates, width);
        CHECK(line.size() == width);
        if (width >= 10) CHECK_THAT(line, ContainsSubstring("FINDINGS 7"));
    }
    CHECK(progress_line(progress, kRates, 20) == "FINDINGS 7  main run");
}

TEST_CASE("the remaining time comes from the plan or the work done, or is not yet known") {
    sim::Progress progress = example_progress();
    progress.elapsed_us = 400'000'000;
    CHECK_THAT(progress_line(progress, kRates, 79), ContainsSubstring("06:40 -00:00"));
    progress.phase_duration_us = 0;
    progress.elapsed_us = 60'000'000;
    progress.done_fraction = 0.25;
    CHECK_THAT(progress_line(progress, kRates, 79), ContainsSubstring("01:00 -03:00"));
    progress.done_fraction = 0.001;
    CHECK_THAT(progress_line(progress, kRates, 79), ContainsSubstring("01:00  --:--"));
}

TEST_CASE("the plain line names every file") {
    CHECK(progress_plain(example_progress(), kRates) ==
          "main run, 01:23 elapsed, 03:37 left, 12.3k IO/s, 96.1 MB/s, average sqliosim.mdx 0.4 ms, sqliosim.ldx 1.2 ms, findings 0");
}

TEST_CASE("the cause of a delayed end is shown, and outlasts everything but the phase and the findings") {
    sim::Progress progress = example_progress();
    CHECK(progress_plain(progress, kRates).find("outstanding") == std::string::npos);
    progress.is_ending = true;
    progress.outstanding_io = 312;
    progress.oldest_io_us = 2'310'000;
    const std::string text = "ending: 312 outstanding, the oldest for 2.3 s";
    CHECK(progress_plain(progress, kRates).find(", " + text + ", findings 0") != std::string::npos);
    CHECK(progress_line(progress, kRates, 200, "").find(text) != std::string::npos);
    CHECK(progress_line(progress, kRates, 79, "").find(text) != std::string::npos);
}
