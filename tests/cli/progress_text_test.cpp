#include "cli/progress_text.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace {

sim::Progress main_run() {
    sim::Progress progress;
    progress.phase = sim::Phase::main_run;
    progress.elapsed_us = 12'000'000;
    progress.phase_duration_us = 300'000'000;
    progress.done_fraction = 0.04;
    progress.files = {{"/mnt/data/sqliosim.mdx", 2'340, 108}, {"/mnt/data/sqliosim.ldx", 410, 12}};
    return progress;
}

constexpr cli::ProgressRates kRates{.ios_per_second = 12'345, .bytes_per_second = 512.0 * 1024 * 1024};

}  // namespace

TEST_CASE("a wide line names phase, time, rates, every file's running average and findings") {
    CHECK(cli::progress_text(main_run(), kRates, 120) ==
          "Main run | 0:12, 4:48 left | 12.3k IO/s | 512 MB/s | sqliosim.mdx 2.3 ms x108, sqliosim.ldx 0.4 ms x12 | 0 findings");
}

TEST_CASE("on 80 columns the slowest average stands for all files") {
    CHECK(cli::progress_text(main_run(), kRates, 79) == "Main run | 0:12, 4:48 left | 12.3k IO/s | 512 MB/s | avg 2.3 ms | 0 findings");
}

TEST_CASE("no line is wider than the terminal, and findings are left out last") {
    sim::Progress progress = main_run();
    progress.findings = 3;
    progress.throttle_count = 9006;
    for (std::size_t columns = 1; columns < 200; ++columns) {
        const std::string line = cli::progress_text(progress, kRates, columns);
        CHECK(line.size() <= columns);
        if (columns >= 30) CHECK_THAT(line, ContainsSubstring("Main run") && ContainsSubstring("3 FINDINGS"));
    }
}

TEST_CASE("throttles are shown when there are any") {
    sim::Progress progress = main_run();
    progress.throttle_count = 9006;
    CHECK_THAT(cli::progress_text(progress, kRates, 150), ContainsSubstring("| 9006 throttles |"));
}

TEST_CASE("where the end is not known by time, the share that is done is shown") {
    sim::Progress progress = main_run();
    progress.phase = sim::Phase::final_audit;
    progress.phase_duration_us = 0;
    progress.done_fraction = 0.42;
    CHECK_THAT(cli::progress_text(progress, kRates, 120), ContainsSubstring("Final audit | 0:12, 42 % |"));
    progress.elapsed_us = 3'723'000'000;
    CHECK_THAT(cli::progress_text(progress, kRates, 120), ContainsSubstring("| 1:02:03, 42 % |"));
}

TEST_CASE("a main run that takes longer than planned has nothing left, not a negative time") {
    sim::Progress progress = main_run();
    progress.elapsed_us = progress.phase_duration_us + 1;
    CHECK_THAT(cli::progress_text(progress, kRates, 120), ContainsSubstring("| 5:00, 0:00 left |"));
}

TEST_CASE("cycles are counted when there is more than one") {
    sim::Progress progress = main_run();
    progress.cycle = 2;
    progress.cycles = 3;
    CHECK_THAT(cli::progress_text(progress, kRates, 120), ContainsSubstring("Main run, cycle 2/3 |"));
    progress.cycles = 0;
    CHECK_THAT(cli::progress_text(progress, kRates, 120), ContainsSubstring("Main run, cycle 2 |"));
}

TEST_CASE("rates are what was added between two looks, per second") {
    sim::Progress earlier;
    sim::Progress later;
    earlier.io_count = 100;
    earlier.io_bytes = 8192;
    later.io_count = 300;
    later.io_bytes = 8192 + 1'000'000;
    const cli::ProgressRates rates = cli::rates_between(earlier, later, 2'000'000);
    CHECK(rates.ios_per_second == Approx(100));
    CHECK(rates.bytes_per_second == Approx(500'000));
    CHECK(cli::rates_between(earlier, later, 0).ios_per_second == 0);
}
