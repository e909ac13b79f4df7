// Measurements by specification, in virtual time on a storage in memory: what each field changes, what is counted, verified and refused.
#include "sim/bench/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "sim/bench/bench.hpp"
#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/size.hpp"

using namespace sim::testing;
using namespace sim;

namespace {

using ums::kMb;
const std::string kMeasured = "/memory/measured.dat";

MeasureTarget small_target() {
    MeasureTarget target;
    target.path = kMeasured;
    target.create_bytes = 2 * kMb;
    target.block_bytes = 8192;
    target.access = MeasureAccess::random;
    target.outstanding = 4;
    return target;
}

MeasureSpec spec_of(const MeasureTarget& target) {
    MeasureSpec spec;
    spec.timespans.resize(1);
    spec.timespans[0].duration_s = 1;
    spec.timespans[0].cpu_count = 1;
    spec.timespans[0].targets = {target};
    return spec;
}

MeasureResults run_spec(VirtualRun& run, const MeasureSpec& spec) {
    REQUIRE(check_measure_spec(spec).empty());
    return Measurement(spec, run.storage, run.clock, run.sink).run();
}

// A disk whose requests take `service_us` each, `channels` at a time.
DiskModel channels_disk(std::uint32_t channels, std::uint64_t service_us) {
    return [channels, service_us](const ums::IoRequest&, std::uint32_t outstanding) {
        const std::uint64_t turns = (std::max(outstanding, 1U) + channels - 1) / channels;
        return turns * service_us * ums::kNsPerUs;
    };
}

std::vector<std::byte> measured_bytes(VirtualRun& run, std::uint64_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes);
    run.memory.find(kMeasured)->read(0, bytes.data(), size_bytes);
    return bytes;
}

// Requests of `size_bytes` that were posted after the file was filled, in pieces of 1 MB.
std::vector<Recorded> measured_requests(const VirtualRun& run, ums::IoOperation operation, std::uint64_t size_bytes) {
    return run.storage.select([&](const Recorded& request) { return request.operation == operation && request.size_bytes == size_bytes; });
}

}  // namespace

TEST_CASE("a measured file is made, filled, marked, and read at the asked depth for the asked time") {
    VirtualRun run(random_disk(1, 100, 100));
    const MeasureResults results = run_spec(run, spec_of(small_target()));
    CHECK(results.failure_reason.empty());
    CHECK(results.finding_count == 0);
    REQUIRE(results.timespans.size() == 1);
    const MeasureTimespanResults& timespan = results.timespans[0];
    CHECK(timespan.duration_ns == 1'000'000'000);
    const MeasureRow total = timespan.total();
    // Four at a time, 100 us each.
    CHECK(total.reads.requests > 39'900);
    CHECK(total.reads.requests <= 40'000);
    CHECK(total.reads.bytes == total.reads.requests * 8192);
    CHECK(total.writes.requests == 0);
    CHECK(total.reads.latency.count() == total.reads.requests);
    CHECK(total.reads.latency.min_ns() == 100'000);
    CHECK(total.reads.latency.max_ns() == 100'000);
    CHECK(run.memory.find(kMeasured)->stored_bytes() == 2 * kMb);
    CHECK(has_measure_mark(measured_bytes(run, 8192).data()));
    CHECK(run.memory.open_count() == 0);
}

TEST_CASE("requests of warm-up and cool-down are not counted") {
    VirtualRun run(random_disk(1, 100, 100));
    MeasureSpec spec = spec_of(small_target());
    spec.timespans[0].warm_up_s = 2;
    spec.timespans[0].cool_down_s = 3;
    const std::uint64_t before_ns = run.clock.now_ns();
    const MeasureResults results = run_spec(run, spec);
    CHECK(run.clock.now_ns() - before_ns >= 6'000'000'000);
    CHECK(results.timespans[0].total().reads.requests <= 40'001);
    CHECK(results.timespans[0].total().reads.requests > 39'900);
    CHECK(measured_requests(run, ums::IoOperation::read, 8192).size() > 230'000);
}

TEST_CASE("reads and writes are mixed as asked, and counted apart") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 30;
    const MeasureRow total = run_spec(run, spec_of(target)).timespans[0].total();
    const auto all = static_cast<double>(total.both().requests);
    CHECK(std::abs(static_cast<double>(total.writes.requests) / all - 0.3) < 0.02);
    CHECK(total.both().bytes == total.both().requests * 8192);
    CHECK(total.both().latency.count() == total.both().requests);
}

TEST_CASE("pages of ours are verified when they are read, and read back when they were written") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 50;
    target.source.contents = MeasureContents::pages;
    const MeasureResults results = run_spec(run, spec_of(target));
    const MeasureTargetFacts& facts = results.timespans[0].targets[0];
    CHECK(results.finding_count == 0);
    CHECK(facts.is_verified);
    CHECK(facts.pages_verified > 1000);
    CHECK(facts.pages_verified > 10 * facts.pages_not_judged);
    CHECK(facts.pages_read_back > 200);
    CHECK(has_signature(measured_bytes(run, 8192).data()));
    // And again, as the file is.
    target.create_bytes = 0;
    const MeasureResults again = run_spec(run, spec_of(target));
    CHECK(again.finding_count == 0);
    CHECK(again.timespans[0].targets[0].pages_verified > 1000);
}

TEST_CASE("a measured file of pages can be measured as a run's file, and one without pages is refused there") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    run_spec(run, spec_of(target));
    BenchOptions bench;
    bench.files = {kMeasured};
    bench.seconds = 1;
    bench.depth = 2;
    const BenchResults results = Bench(bench, run.storage, run.clock, run.sink).run();
    CHECK(results.finding_count == 0);
    CHECK(results.pages_verified > 1000);
    target.source.contents = MeasureContents::zeros;
    run_spec(run, spec_of(target));
    CHECK_THROWS_WITH(Bench(bench, run.storage, run.clock, run.sink).run(), ContainsSubstring("holds data of a measurement"));
}

TEST_CASE("a lost write, a stale read and a flipped bit are found in a measurement") {
    const std::string kind = GENERATE(as<std::string>(), "lost", "stale", "bit");
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 50;
    target.outstanding = 1;
    target.source.contents = MeasureContents::pages;
    int writes = 0;
    std::vector<std::byte> old_page(8192);
    std::uint64_t old_offset = 0;
    run.storage.set_fault([&](const Recorded& request) -> std::error_code {
        if (request.operation != ums::IoOperation::write || request.size_bytes != 8192) return {};
        if (++writes != 500) return {};
        old_offset = request.offset_bytes;
        run.memory.find(kMeasured)->read(old_offset, old_page.data(), old_page.size());
        return {};
    });
    bool done = false;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (writes < 500 || done || request.offset_bytes != old_offset || request.size_bytes != 8192) return;
        if (kind == "lost" && request.operation == ums::IoOperation::write) {
            run.memory.find(kMeasured)->write(old_offset, old_page.data(), old_page.size());
            done = true;
        }
        if (request.operation != ums::IoOperation::read) return;
        if (kind == "stale") std::memcpy(request.segments[0].data, old_page.data(), old_page.size());
        if (kind == "bit") request.segments[0].data[1234] ^= std::byte{4};
        done = kind != "lost";
    });
    const MeasureResults results = run_spec(run, spec_of(target));
    REQUIRE(done);
    CHECK(results.finding_count == 1);
    const std::vector<Finding> found = run.sink.findings();
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.offset_bytes == old_offset);
    const FindingKind right = kind == "lost"    ? FindingKind::lost_write
                              : kind == "stale" ? FindingKind::stale_read
                                                : FindingKind::bit_corruption;
    CHECK(found[0].kind == right);
    CHECK(found[0].transient == (kind != "lost"));
}

TEST_CASE("overlapping writes and reads of a measurement are no finding") {
    VirtualRun run(random_disk(7, 10, 3000));
    MeasureTarget target = small_target();
    target.create_bytes = 4 * 8192;
    target.write_percent = 50;
    target.outstanding = 64;
    target.source.contents = MeasureContents::pages;
    const MeasureResults results = run_spec(run, spec_of(target));
    CHECK(results.finding_count == 0);
    CHECK(results.timespans[0].targets[0].pages_not_judged > 100);
}

TEST_CASE("a rate is held, and latency counts from the intended start") {
    // 1 ms each, but one in a thousand holds everything up for 200 ms.
    std::uint64_t blocked_until_ns = 0;
    int count = 0;
    VirtualRun* world = nullptr;
    VirtualRun run([&](const ums::IoRequest& request, std::uint32_t) -> std::uint64_t {
        if (request.size_bytes != 8192 || world == nullptr) return 1000;
        const std::uint64_t now_ns = world->clock.now_ns();
        if (++count % 1000 == 0) blocked_until_ns = now_ns + 200 * ums::kNsPerMs;
        return std::max(blocked_until_ns, now_ns + ums::kNsPerMs) - now_ns;
    });
    world = &run;
    MeasureTarget target = small_target();
    target.rate = {MeasureRateUnit::requests_per_s, 1000};
    MeasureSpec spec = spec_of(target);
    spec.timespans[0].duration_s = 10;
    const MeasureRow total = run_spec(run, spec).timespans[0].total();
    CHECK(std::abs(static_cast<double>(total.reads.requests) - 10'000) < 100);
    // In each second 200 requests wait for the same moment: 99 % of what a user would see is not 1 ms.
    CHECK(total.reads.latency.percentile_ns(50) < 1'100'000);
    CHECK(total.reads.latency.percentile_ns(90) > 80'000'000);
    CHECK(total.reads.latency.max_ns() > 195'000'000);
}

TEST_CASE("a rate of bytes holds for the thread") {
    VirtualRun run(random_disk(1, 10, 20));
    MeasureTarget target = small_target();
    target.rate = {MeasureRateUnit::bytes_per_s, 8192 * 500.0};
    target.threads = 2;
    const MeasureRow total = run_spec(run, spec_of(target)).timespans[0].total();
    CHECK(std::abs(static_cast<double>(total.reads.requests) - 1000) <= 10);
}

TEST_CASE("bursts are followed by think time") {
    VirtualRun run(random_disk(1, 10, 10));
    MeasureTarget target = small_target();
    target.outstanding = 1;
    target.burst_requests = 10;
    target.think_time_ms = 50;
    const MeasureRow total = run_spec(run, spec_of(target)).timespans[0].total();
    CHECK(total.reads.requests >= 190);
    CHECK(total.reads.requests <= 210);
}

TEST_CASE("targets of one thread get their requests by weight, and rows tell threads and targets apart") {
    VirtualRun run;
    MeasureTarget data = small_target();
    data.weight = 3;
    data.label = "oltp";
    MeasureTarget log = small_target();
    log.path = "/memory/other.dat";
    log.label = "log";
    MeasureSpec spec = spec_of(data);
    spec.timespans[0].targets.push_back(log);
    spec.timespans[0].threads_total = 2;
    spec.timespans[0].requests_per_thread = 4;
    const MeasureTimespanResults results = run_spec(run, spec).timespans[0];
    CHECK(results.rows.size() == 4);
    CHECK(results.thread_count == 2);
    const double ratio =
        static_cast<double>(results.total_of_target(0).reads.requests) / static_cast<double>(results.total_of_target(1).reads.requests);
    CHECK(std::abs(ratio - 3) < 0.2);
    CHECK(results.total_of_label("log").reads.requests == results.total_of_target(1).reads.requests);
    CHECK(run.storage.in_flight_max() <= 8);
}

TEST_CASE("counts of intervals add up to all, and tell how even the rate was") {
    VirtualRun run(random_disk(1, 100, 100));
    MeasureSpec spec = spec_of(small_target());
    spec.timespans[0].iops_interval_ms = 100;
    const MeasureTimespanResults results = run_spec(run, spec).timespans[0];
    const MeasureRow total = results.total();
    REQUIRE(total.intervals.size() == 10);
    std::uint64_t sum = 0;
    for (const MeasureInterval& interval : total.intervals) sum += interval.reads.requests;
    CHECK(sum == total.reads.requests);
    CHECK(total.intervals[3].reads.latency_min_ns == 100'000);
    CHECK(iops_deviation(total, 100, results.duration_ns, MeasureDirection::both) < 200);
}

TEST_CASE("the deviation of requests per second is that of whole intervals, those without requests included") {
    MeasureRow row;
    row.intervals.resize(2);
    row.intervals[0].reads.requests = 10;
    row.intervals[1].writes.requests = 20;
    // 100, 200 and 0 a second: mean 100, deviation sqrt(20000 / 3).
    CHECK(std::abs(iops_deviation(row, 100, 300'000'000, MeasureDirection::both) - 81.6497) < 0.001);
    CHECK(iops_deviation(row, 100, 199'000'000, MeasureDirection::both) == 0);
}

TEST_CASE("writes are durable, flushed and in pieces as asked") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 100;
    target.write_through = true;
    target.flush_every_writes = 10;
    target.piece_bytes = 2048;
    const MeasureRow total = run_spec(run, spec_of(target)).timespans[0].total();
    const auto writes = measured_requests(run, ums::IoOperation::write, 8192);
    REQUIRE(writes.size() > 1000);
    CHECK(std::all_of(writes.begin(), writes.end(), [](const Recorded& write) { return write.durable && write.segment_count == 4; }));
    CHECK(total.flushes >= total.writes.requests / 10 - 5);
    CHECK(total.flushes <= total.writes.requests / 10 + 5);
}

TEST_CASE("what is written is what the source says, and the mark stays") {
    const auto contents =
        GENERATE(MeasureContents::incompressible, MeasureContents::zeros, MeasureContents::counting, MeasureContents::buffer);
    VirtualRun run;
    MeasureTarget target = small_target();
    target.create_bytes = 64 * 8192;
    target.access = MeasureAccess::sequential;
    target.write_percent = 100;
    target.source.contents = contents;
    target.source.bytes = std::make_shared<std::vector<std::byte>>(8192, std::byte{'b'});
    run_spec(run, spec_of(target));
    const std::vector<std::byte> bytes = measured_bytes(run, 64 * 8192);
    CHECK(has_measure_mark(bytes.data()));
    std::set<std::string> blocks;
    for (std::size_t i = 1; i < 64; ++i) blocks.insert(std::string(reinterpret_cast<const char*>(bytes.data()) + i * 8192, 8192));
    CHECK(blocks.size() == (contents == MeasureContents::incompressible ? 63 : 1));
    const std::byte value = bytes[8192 * 5 + 259];
    if (contents == MeasureContents::zeros) CHECK(value == std::byte{0});
    if (contents == MeasureContents::counting) CHECK(value == std::byte{3});
    if (contents == MeasureContents::buffer) CHECK(value == std::byte{'b'});
}

TEST_CASE("shares of compressible and duplicate contents are kept") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.access = MeasureAccess::sequential;
    target.write_percent = 100;
    target.source.compressible_percent = 25;
    target.source.duplicate_percent = 50;
    run_spec(run, spec_of(target));
    const std::vector<std::byte> bytes = measured_bytes(run, 2 * kMb);
    std::multiset<std::string> blocks;
    for (std::size_t i = 8192; i < bytes.size(); i += 8192)
        blocks.insert(std::string(reinterpret_cast<const char*>(bytes.data()) + i, 8192));
    const auto most =
        std::max_element(blocks.begin(), blocks.end(), [&](const auto& a, const auto& b) { return blocks.count(a) < blocks.count(b); });
    CHECK(std::abs(static_cast<double>(blocks.count(*most)) / static_cast<double>(blocks.size()) - 0.5) < 0.12);
    CHECK(std::all_of(bytes.begin() + 8192 + 3072, bytes.begin() + 8192 + 4096, [](std::byte byte) { return byte == std::byte{0}; }));
    CHECK(bytes[8192 + 3071] != bytes[8192 + 3070]);
}

TEST_CASE("a file that is not ours is read, but neither written nor made anew, unless the user said so") {
    VirtualRun run;
    auto foreign = std::make_unique<MemoryFile>(99);
    const std::vector<std::byte> data(kMb, std::byte{'F'});
    foreign->write(0, data.data(), data.size());
    run.memory.put(kMeasured, std::move(foreign));
    MeasureTarget target = small_target();
    target.write_percent = 1;
    CHECK_THROWS_AS(run_spec(run, spec_of(target)), RefusedError);
    target.create_bytes = 0;
    CHECK_THROWS_AS(run_spec(run, spec_of(target)), RefusedError);
    CHECK(measured_bytes(run, kMb) == data);
    target.write_percent = 0;
    CHECK(run_spec(run, spec_of(target)).timespans[0].total().reads.requests > 1000);
    CHECK(measured_bytes(run, kMb) == data);
    target.write_percent = 1;
    target.may_overwrite = true;
    CHECK(run_spec(run, spec_of(target)).timespans[0].total().writes.requests > 10);
    CHECK(has_measure_mark(measured_bytes(run, kMb).data()));
    target.may_overwrite = false;  // it is ours now
    CHECK(run_spec(run, spec_of(target)).failure_reason.empty());
}

TEST_CASE("a missing file without a size, and a database's name, are refused") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    CHECK_THROWS_AS(run_spec(run, spec_of(target)), EnvironmentError);
    target.path = "/memory/master.mdf";
    target.create_bytes = kMb;
    CHECK_THROWS_AS(run_spec(run, spec_of(target)), RefusedError);
    CHECK(run.memory.file_count() == 0);
}

TEST_CASE("a file that is ours and of the right size is kept if asked, and made anew otherwise") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.keep_existing = true;
    run_spec(run, spec_of(target));
    const std::vector<std::byte> before = measured_bytes(run, 2 * kMb);
    const MeasureResults kept = run_spec(run, spec_of(target));
    CHECK_FALSE(kept.timespans[0].targets[0].was_created);
    CHECK(measured_bytes(run, 2 * kMb) == before);
    target.keep_existing = false;
    CHECK(run_spec(run, spec_of(target)).timespans[0].targets[0].was_created);
    target.create_bytes = 4 * kMb;
    target.keep_existing = true;
    CHECK(run_spec(run, spec_of(target)).timespans[0].targets[0].size_bytes == 4 * kMb);
}

TEST_CASE("a request that fails ends the measurement with a finding, and what was measured until then") {
    VirtualRun run;
    int reads = 0;
    run.storage.set_fault([&](const Recorded& request) -> std::error_code {
        const bool is_load = request.operation == ums::IoOperation::read && request.size_bytes == 8192 && request.offset_bytes != 0;
        return is_load && ++reads == 1000 ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    const MeasureResults results = run_spec(run, spec_of(small_target()));
    CHECK(results.finding_count == 1);
    CHECK_THAT(results.failure_reason, ContainsSubstring(kMeasured));
    REQUIRE(results.timespans.size() == 1);
    CHECK(results.timespans[0].total().reads.requests >= 900);
    CHECK(results.timespans[0].total().reads.requests <= 1010);
    CHECK(results.timespans[0].duration_ns < 1'000'000'000);
}

TEST_CASE("timespans follow each other, each with its own targets and result") {
    VirtualRun run;
    MeasureSpec spec = spec_of(small_target());
    spec.timespans.push_back(spec.timespans[0]);
    spec.timespans[1].targets[0].create_bytes = 0;
    spec.timespans[1].targets[0].block_bytes = 65536;
    const MeasureResults results = run_spec(run, spec);
    REQUIRE(results.timespans.size() == 2);
    const MeasureCounts second = results.timespans[1].total().reads;
    CHECK(second.bytes == second.requests * 65536);
    CHECK(second.requests > 1000);
}

TEST_CASE("a disk of eight channels gets faster up to depth eight, and only slower answers beyond") {
    std::vector<double> rates;
    for (const std::uint32_t depth : {1U, 8U, 32U}) {
        VirtualRun run(channels_disk(8, 100));
        MeasureTarget target = small_target();
        target.outstanding = depth;
        rates.push_back(static_cast<double>(run_spec(run, spec_of(target)).timespans[0].total().reads.requests));
    }
    CHECK(std::abs(rates[1] / rates[0] - 8) < 0.4);
    CHECK(rates[2] / rates[1] < 1.2);
}

TEST_CASE("what the engine cannot do is refused in a sentence that names the target") {
    const auto text_of = [](auto&& change) {
        MeasureSpec spec = spec_of(small_target());
        change(spec.timespans[0], spec.timespans[0].targets[0]);
        return check_measure_spec(spec);
    };
    CHECK(text_of([](auto&, auto&) {}).empty());
    CHECK_THAT(text_of([](auto&, auto& target) { target.block_bytes = 1000; }),
               ContainsSubstring("target 1 (/memory/measured.dat): a block is"));
    CHECK_FALSE(text_of([](auto& timespan, auto&) { timespan.targets.clear(); }).empty());
    CHECK_FALSE(text_of([](auto& timespan, auto&) { timespan.duration_s = 0; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.write_percent = 101; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.random_percent = 20; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.access = MeasureAccess::mixed; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.outstanding = 70'000; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.burst_requests = 1; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.alignment_bytes = 100; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.thread_stride_bytes = 8192; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.flush_every_writes = 1; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.spans = {{60, 50, 0}, {50, 50, 0}}; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.spans = {{60, 100, 0}}; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.spans = {{60, 50, 0}, {40, 0, 8192}}; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) {
                    target.source.contents = MeasureContents::pages;
                    target.alignment_bytes = 4096;
                }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.source.contents = MeasureContents::buffer; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.rate = {MeasureRateUnit::requests_per_s, 0}; }).empty());
    CHECK_FALSE(text_of([](auto& timespan, auto&) { timespan.affinity = {64}; }).empty());
}
