// Measurements on real files: what only a real engine shows.
#include "sim/bench/measurement.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using namespace sim;

TEST_CASE("pages written to a real file are right when read back, whatever memory is registered with the engine") {
    RealRun run;
    MeasureSpec spec;
    spec.timespans.resize(2);
    for (MeasureTimespan& timespan : spec.timespans) {
        timespan.duration_s = 1;
        MeasureTarget target;
        target.path = run.folder.file("measured.dat");
        target.create_bytes = 16 * ums::kMb;
        target.keep_existing = true;
        target.block_bytes = 8192;
        target.access = MeasureAccess::random;
        target.threads = 2;
        target.write_percent = 30;
        target.source.contents = MeasureContents::pages;
        target.outstanding = 16;
        timespan.targets = {target};
    }
    const MeasureResults results = Measurement(spec, run.posix, run.clock, run.sink).run();
    CHECK(results.finding_count == 0);
    CHECK(results.failure_reason.empty());
    REQUIRE(results.timespans.size() == 2);
    for (const MeasureTimespanResults& timespan : results.timespans) {
        CHECK(timespan.targets[0].pages_verified > 0);
        CHECK(timespan.targets[0].pages_read_back > 0);
        CHECK(timespan.total().writes.requests > 0);
    }
}
