// Measurements of the null file, in real time.
#include "sim/bench/bench.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/posix_storage.hpp"

using sim::Bench;
using sim::BenchOperation;
using sim::BenchOptions;
using sim::BenchResults;
using sim::testing::CollectingSink;

TEST_CASE("the null file needs no storage") {
    ums::PosixStorage storage;
    ums::RealClock clock;
    CollectingSink sink;
    BenchOptions options;
    options.files = {sim::kNullFile};
    options.seconds = 1;
    SECTION("reads are just requests") {
        options.verify = false;
        const BenchResults results = Bench(options, storage, clock, sink).run();
        CHECK(results.engine == "null");
        CHECK(results.requests > 10'000);
    }
    SECTION("writes prepare pages, and there is nothing to read back") {
        options.operation = BenchOperation::write;
        const BenchResults results = Bench(options, storage, clock, sink).run();
        CHECK(results.requests > 1000);
        CHECK(results.pages_read_back == 0);
    }
}
