#include "sim/verify/file_order.hpp"

#include <utility>

#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

TEST_CASE("a verification and a resumed run say that files are not where the run had named them") {
    VirtualRun run{random_disk(1, 200, 600)};
    sim::Options options = quiet_options(VirtualRun::kFolder);
    sim::FileOptions second = options.files[0];
    second.path += "2.mdx";
    options.files.push_back(second);
    REQUIRE(run.run(options).outcome == sim::Outcome::passed);
    const bool is_exchanged = GENERATE(false, true);
    if (is_exchanged) std::swap(options.files[0], options.files[2]);
    options.job = GENERATE(sim::Job::verify, sim::Job::resume);
    const sim::Results results = run.run(options);
    INFO(run.sink.text());
    CHECK(results.outcome == sim::Outcome::passed);
    CHECK(run.sink.count_of(sim::Severity::warning,
                            second.path + ": it is file 3 of its run, but is named as file 1, and 1 more likewise.") ==
          (is_exchanged ? 1U : 0U));
    CHECK(run.sink.count_of(sim::Severity::warning, "of its run") == (is_exchanged ? 1U : 0U));
}
