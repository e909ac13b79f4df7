#include "cli/measuring/measuring.hpp"

#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"

TEST_CASE("a pool of threads that is smaller than the requests outstanding is a message, with the reason for the pool, once") {
    sim::MeasureResults results;
    results.timespans.resize(3);
    for (sim::MeasureTimespanResults& span : results.timespans) span.engine_reason = "io_uring is not used";
    CHECK(cli::engine_messages(results, "diskspd").empty());
    results.timespans[1].pool_threads = results.timespans[2].pool_threads = 64;
    const std::string text = cli::engine_messages(results, "diskspd");
    CHECK(text.starts_with("diskspd: io_uring is not used\ndiskspd: a pool has 64 threads for each CPU in use"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
    for (sim::MeasureTimespanResults& span : results.timespans) span.engine_reason.clear();
    CHECK(cli::engine_messages(results, "sqlio").starts_with("sqlio: a pool has 64 threads"));
}

TEST_CASE("files that are read where they hold no data are named in a line each, once for all time spans") {
    sim::MeasureResults results;
    results.timespans.resize(2);
    for (sim::MeasureTimespanResults& span : results.timespans) {
        span.targets.resize(3);
        span.targets[0] = {.path = "a.dat", .hole_percent = 100};
        span.targets[2] = {.path = "c.dat", .hole_percent = 50};
    }
    const std::string text = cli::hole_messages(results, "sqlio");
    CHECK(text.starts_with("sqlio: a.dat: the file system has no data for 100 %"));
    CHECK_THAT(text, ContainsSubstring("\nsqlio: c.dat: the file system has no data for 50 %"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}
