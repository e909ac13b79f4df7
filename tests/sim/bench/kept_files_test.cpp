// What a measurement knows from the ones before it in the same process.
#include "sim/bench/kept_files.hpp"

#include <string>

#include "tests/sim/bench/measurement_fixture.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using namespace sim;

namespace {

// One request at a time, so that each wrong page is one finding.
MeasureTarget kept_target() {
    MeasureTarget target = small_target();
    target.keep_existing = true;
    target.outstanding = 1;
    target.source.contents = MeasureContents::pages;
    return target;
}

MeasureResults run_with(KeptFiles& kept, VirtualRun& run, const MeasureTarget& target) {
    return Measurement(spec_of(target), run.storage, run.clock, run.sink, &kept).run();
}

}  // namespace

TEST_CASE("a page that is spoiled between two measurements of one process is a finding of the second one") {
    const std::string how = GENERATE(as<std::string>(), "zeroed", "of another run", "the first page");
    const bool has_size = GENERATE(true, false);
    if (has_size && how == "the first page") return;  // it is refused: without the mark it may be somebody's data
    VirtualRun run;
    KeptFiles kept(run.storage);
    MeasureTarget target = kept_target();
    REQUIRE(run_with(kept, run, target).finding_count == 0);
    if (!has_size) target.create_bytes = 0;
    REQUIRE(run_with(kept, run, target).finding_count == 0);
    const std::uint32_t page = how == "the first page" ? 0 : 5;
    PageBuffer spoiled;
    if (how == "of another run") make_page(PageIdentity{.run_id = 7, .file_id = 1, .page_id = page, .version = 1}, spoiled.data());
    run.memory.find(kMeasured)->write(page * std::uint64_t{kPageBytes}, spoiled.data(), kPageBytes);
    CHECK(run_with(kept, run, target).finding_count == 1);
    REQUIRE(run.sink.findings().size() == 1);
    CHECK(run.sink.findings()[0].place.page_id == page);
    CHECK(run.sink.findings()[0].kind == (how == "of another run" ? FindingKind::lost_write : FindingKind::zeroed_page));
}

TEST_CASE("a measured file stays locked until the next measurement of the process, and is released at the end") {
    VirtualRun run;
    {
        KeptFiles kept(run.storage);
        MeasureTarget target = kept_target();
        REQUIRE(run_with(kept, run, target).finding_count == 0);
        CHECK(run.memory.find(kMeasured)->locked);
        target.create_bytes = 0;
        CHECK(run_with(kept, run, target).timespans.at(0).targets.at(0).pages_verified > 1000);
        CHECK(run.memory.find(kMeasured)->locked);
    }
    CHECK_FALSE(run.memory.find(kMeasured)->locked);
}

TEST_CASE("each measurement reads back what it has written itself, although it knows what the ones before it wrote") {
    VirtualRun run;
    KeptFiles kept(run.storage);
    MeasureTarget target = kept_target();
    target.write_percent = 100;
    CHECK(run_with(kept, run, target).timespans.at(0).targets.at(0).pages_read_back == 256);
    target.rate = {.unit = MeasureRateUnit::requests_per_s, .amount = 20};
    const MeasureResults second = run_with(kept, run, target);
    CHECK(second.finding_count == 0);
    CHECK(second.timespans.at(0).targets.at(0).pages_read_back > 10);
    CHECK(second.timespans.at(0).targets.at(0).pages_read_back <= 21);
}

TEST_CASE("a file that something else has cut off between two measurements is not refilled as if nothing had happened") {
    VirtualRun run;
    KeptFiles kept(run.storage);
    const MeasureTarget target = kept_target();
    REQUIRE(run_with(kept, run, target).finding_count == 0);
    run.memory.find(kMeasured)->resize(ums::kMb);
    CHECK_THROWS_WITH(run_with(kept, run, target), ContainsSubstring("had 2097152 bytes when it was last measured, and has 1048576 now"));
    CHECK(run.memory.find(kMeasured)->size_bytes() == ums::kMb);
}

TEST_CASE("a file that is gone after a measurement is not made again by the next one of the process as if nothing had happened") {
    VirtualRun run;
    MeasureTarget target = kept_target();
    {
        KeptFiles kept(run.storage);
        REQUIRE(run_with(kept, run, target).finding_count == 0);
        ums::FileHandle file;
        REQUIRE_FALSE(run.memory.open(kMeasured, {}, file));
        REQUIRE_FALSE(run.memory.remove(file));
        run.memory.close(file);
        CHECK_THROWS_WITH(run_with(kept, run, target), ContainsSubstring("was there when it was last measured, and is missing now"));
        CHECK(run.memory.file_count() == 0);
        target.keep_existing = false;  // it is to be made anew in any case
        CHECK(run_with(kept, run, target).finding_count == 0);
    }
    CHECK(run.memory.find(kMeasured) != nullptr);
}

TEST_CASE("what is measured in other units afterwards is not judged by what was known before") {
    VirtualRun run;
    KeptFiles kept(run.storage);
    MeasureTarget pages = kept_target();
    pages.write_percent = 50;
    MeasureTarget sectors = pages;
    sectors.block_bytes = 4096;
    sectors.source.contents = MeasureContents::sectors;
    for (const MeasureTarget& next : {pages, sectors, sectors, pages, pages}) CHECK(run_with(kept, run, next).finding_count == 0);
}
