// Measurements on real files: what only a real engine shows.
#include <sched.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sim/bench/measurement.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_cpus.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using namespace sim;

namespace {

MeasureTarget small_writer(RealRun& run) {
    MeasureTarget target;
    target.path = run.folder.file("measured.dat");
    target.create_bytes = 2 * ums::kMb;
    target.block_bytes = 8192;
    target.access = MeasureAccess::random;
    target.write_percent = 30;
    target.source.contents = MeasureContents::pages;
    return target;
}

}  // namespace

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

TEST_CASE("the latency of a copy to or from a mapping is that of the copy, however many are outstanding") {
    RealRun run;
    MeasureTarget target = small_writer(run);
    target.direct = false;
    target.view = MeasureView::mapped;
    target.outstanding = 32;
    target.source.contents = MeasureContents::counting;
    MeasureSpec spec;
    spec.verify = false;
    MeasureTimespan& timespan = spec.timespans.emplace_back();
    timespan.duration_s = 1;
    timespan.cpu_count = 1;
    timespan.targets = {target};
    const MeasureResults results = Measurement(spec, run.posix, run.clock, run.sink).run();
    CHECK(results.failure_reason.empty());
    REQUIRE(results.timespans.size() == 1);
    const MeasureRow total = results.timespans[0].total();
    REQUIRE(total.reads.requests > 0);
    REQUIRE(total.writes.requests > 0);
    // One thread makes one copy after the other, so together they take no longer than the measured time, and the first one's beginning.
    const std::uint64_t together_ns = total.reads.latency.total_ns() + total.writes.latency.total_ns();
    CHECK(together_ns < results.timespans[0].duration_ns + results.timespans[0].duration_ns / 2);
}

TEST_CASE("a file with two names is one file, which one target may write while another one verifies what it reads") {
    RealRun run;
    const MeasureTarget writer = small_writer(run);
    MeasureSpec spec;
    MeasureTimespan& timespan = spec.timespans.emplace_back();
    timespan.duration_s = 1;
    timespan.targets = {writer};
    REQUIRE(Measurement(spec, run.posix, run.clock, run.sink).run().failure_reason.empty());
    MeasureTarget reader = writer;
    reader.path = run.folder.file("same.dat");
    std::filesystem::create_hard_link(writer.path, reader.path);
    reader.write_percent = 0;
    timespan.targets = {writer, reader};
    for (MeasureTarget& target : timespan.targets) target.create_bytes = 0;
    const MeasureResults results = Measurement(spec, run.posix, run.clock, run.sink).run();
    CHECK(results.finding_count == 0);
    CHECK(results.failure_reason.empty());
    REQUIRE(results.timespans.size() == 1);
    CHECK(results.timespans[0].targets[0].pages_read_back > 0);
    CHECK(results.timespans[0].targets[1].pages_verified > 0);
    // Not even if one of the names is harmless.
    timespan.targets[1].path = run.folder.file("same.mdf");
    std::filesystem::create_hard_link(writer.path, timespan.targets[1].path);
    CHECK_THROWS_AS(Measurement(spec, run.posix, run.clock, run.sink).run(), RefusedError);
}

TEST_CASE("a file that is to be made may be named in two ways, and is made once") {
    RealRun run;
    const MeasureTarget writer = small_writer(run);
    MeasureTarget reader = writer;
    reader.path = run.folder.file("./measured.dat");
    reader.write_percent = 0;
    MeasureSpec spec;
    MeasureTimespan& timespan = spec.timespans.emplace_back();
    timespan.duration_s = 1;
    timespan.targets = {writer, reader};
    const MeasureResults results = Measurement(spec, run.posix, run.clock, run.sink).run();
    CHECK(results.finding_count == 0);
    CHECK(results.failure_reason.empty());
    REQUIRE(results.timespans.size() == 1);
    CHECK(results.timespans[0].targets[0].pages_read_back > 0);
    CHECK(results.timespans[0].targets[1].pages_verified > 0);
}

TEST_CASE("the schedulers of a measurement are bound to the CPUs of its affinity") {
    const std::vector<std::uint32_t> cpus = ums::this_machine().cpus;
    REQUIRE_FALSE(cpus.empty());
    const std::uint32_t low = cpus.front();
    const std::uint32_t high = cpus.back();
    if (high >= 31) {
        WARN("not tried: the recorder's tags have no room for these CPUs");
        return;
    }
    // Each request is posted by its scheduler's thread, whose CPUs become its tag.
    const auto posted_from = [](const std::vector<std::uint32_t>& affinity, std::uint32_t threads) {
        RealRun run;
        run.storage.set_tagger([] {
            cpu_set_t set;
            CPU_ZERO(&set);
            if (::sched_getaffinity(0, sizeof set, &set) != 0) return 0;
            int mask = 0;
            for (int cpu = 0; cpu < 31; ++cpu) mask |= CPU_ISSET(cpu, &set) != 0 ? 1 << cpu : 0;
            return mask;
        });
        MeasureSpec spec;
        MeasureTimespan& timespan = spec.timespans.emplace_back();
        timespan.duration_s = 1;
        timespan.affinity = affinity;
        MeasureTarget& target = timespan.targets.emplace_back();
        target.path = run.folder.file("measured.dat");
        target.create_bytes = 2 * ums::kMb;
        target.block_bytes = 8192;
        target.threads = threads;
        CHECK(Measurement(spec, run.storage, run.clock, run.sink).run().failure_reason.empty());
        std::set<int> masks;
        for (const Recorded& request : run.storage.requests()) {
            if (request.operation == ums::IoOperation::read && request.size_bytes == 8192) masks.insert(request.tag);
        }
        return masks;
    };
    CHECK(posted_from({low}, 2) == std::set<int>{1 << low});
    CHECK(posted_from({high}, 2) == std::set<int>{1 << high});
    CHECK(posted_from({high, low}, 1) == std::set<int>{1 << high});
    CHECK(posted_from({low, high}, 2) == std::set<int>{1 << low, 1 << high});
    CHECK(posted_from({low, low, high}, 2) == std::set<int>{1 << low});
    CHECK(posted_from({low, low, high}, 3) == std::set<int>{1 << low, 1 << high});
}

TEST_CASE("the threads that do a measurement's I/O run on the CPU of their scheduler, as one thread that does all of it would") {
    const std::vector<std::uint32_t> cpus = ums::this_machine().cpus;
    REQUIRE_FALSE(cpus.empty());
    RealRun run;
    std::set<std::string> lists;
    const std::string wanted = std::to_string(cpus.back());
    run.storage.set_tagger([&lists, &wanted, count = 0]() mutable {
        if (++count == 100) {
            const auto is_wrong = [&wanted](const std::string& list) { return list != wanted; };
            for (const std::string& list : ums::testing::cpus_unless("io ", is_wrong)) lists.insert(list);
        }
        return 0;
    });
    MeasureSpec spec;
    spec.engine = EngineChoice::threads;
    MeasureTimespan& timespan = spec.timespans.emplace_back();
    timespan.duration_s = 1;
    timespan.affinity = {cpus.back()};
    timespan.targets = {small_writer(run)};
    timespan.targets[0].outstanding = 8;
    CHECK(Measurement(spec, run.storage, run.clock, run.sink).run().failure_reason.empty());
    CHECK(lists == std::set<std::string>{wanted});
}

TEST_CASE("a measurement says if its pool of threads is smaller than the requests that a scheduler has outstanding") {
    const auto pool_threads = [](EngineChoice engine, std::uint32_t outstanding, MeasureView view) {
        RealRun run;
        MeasureSpec spec;
        spec.engine = engine;
        MeasureTimespan& timespan = spec.timespans.emplace_back();
        timespan.duration_s = 1;
        timespan.cpu_count = 1;
        timespan.targets = {small_writer(run)};
        timespan.targets[0].outstanding = outstanding;
        timespan.targets[0].view = view;
        timespan.targets[0].direct = view == MeasureView::none;
        const MeasureResults results = Measurement(spec, run.posix, run.clock, run.sink).run();
        CHECK(results.failure_reason.empty());
        return results.timespans.at(0).pool_threads;
    };
    CHECK(pool_threads(EngineChoice::threads, 65, MeasureView::none) == 64);
    CHECK(pool_threads(EngineChoice::threads, 64, MeasureView::none) == 0);
    CHECK(pool_threads(EngineChoice::threads, 65, MeasureView::mapped) == 0);
}
