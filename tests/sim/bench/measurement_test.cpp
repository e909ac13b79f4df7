// Measurements by specification, in virtual time on a storage in memory: what each field changes, and what is counted.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <vector>

#include "sim/limits.hpp"
#include "sim/page/measure_mark.hpp"
#include "tests/sim/bench/measurement_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/machine.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using namespace sim;
using ums::kMb;

TEST_CASE("a measured file is created, filled, marked, and read at the requested depth for the requested time") {
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

TEST_CASE("a measurement has a scheduler for each thread, but no more than there are CPUs, unless it is told how many") {
    const auto schedulers = [](std::uint32_t threads, std::uint32_t cpu_count) {
        VirtualRun run(random_disk(1, 10'000, 10'000));  // few requests, as only the schedulers count
        MeasureTarget target = small_target();
        target.threads = threads;
        target.outstanding = 1;
        MeasureSpec spec = spec_of(target);
        spec.timespans[0].cpu_count = cpu_count;
        return run_spec(run, spec).timespans[0].cpu_count;
    };
    CHECK(schedulers(1, 0) == 1);
    CHECK(schedulers(128, 0) == std::min(ums::this_machine().cpu_count, sim::kCpusMax));
    CHECK(schedulers(4, 3) == 3);
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

TEST_CASE("syncs of warm-up and cool-down are not counted") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 100;
    target.flush_every_writes = 10;
    MeasureSpec spec = spec_of(target);
    spec.timespans[0].warm_up_s = 2;
    spec.timespans[0].cool_down_s = 2;
    const MeasureRow total = run_spec(run, spec).timespans[0].total();
    REQUIRE(total.writes.requests > 1000);
    CHECK(total.flushes + 5 >= total.writes.requests / 10);
    CHECK(total.flushes <= total.writes.requests / 10 + 5);
}

TEST_CASE("reads and writes are mixed as requested, and counted separately") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 30;
    const MeasureRow total = run_spec(run, spec_of(target)).timespans[0].total();
    const auto all = static_cast<double>(total.both().requests);
    CHECK(std::abs(static_cast<double>(total.writes.requests) / all - 0.3) < 0.02);
    CHECK(total.both().bytes == total.both().requests * 8192);
    CHECK(total.both().latency.count() == total.both().requests);
}

TEST_CASE("mixed requests that follow each other are all reads or all writes") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.access = MeasureAccess::mixed;
    target.random_percent = 10;
    target.write_percent = 50;
    target.outstanding = 1;
    run_spec(run, spec_of(target));
    const auto requests = run.storage.select([](const Recorded& request) { return request.size_bytes == 8192; });
    REQUIRE(requests.size() > 500);
    std::size_t writes = 0;
    std::size_t continued = 0;
    std::size_t changes = 0;
    for (std::size_t i = 1; i < requests.size(); ++i) {
        writes += requests[i].operation == ums::IoOperation::write ? 1 : 0;
        if (requests[i].offset_bytes != requests[i - 1].offset_bytes + 8192) continue;
        ++continued;
        changes += requests[i].operation != requests[i - 1].operation ? 1 : 0;
    }
    CHECK(writes > requests.size() / 4);
    CHECK(writes < requests.size() * 3 / 4);
    CHECK(continued > requests.size() * 3 / 4);
    // A few random requests happen to go to the next block.
    CHECK(changes < requests.size() / 100);
}

TEST_CASE("requests that advance on their own begin where their thread does") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.access = MeasureAccess::sequential;
    target.same_start = true;
    target.threads = 2;
    target.outstanding = 2;
    target.thread_stride_bytes = ums::kMb;
    run_spec(run, spec_of(target));
    const auto reads = measured_requests(run, ums::IoOperation::read, 8192);
    REQUIRE(reads.size() > 1000);
    // Otherwise a hundred reads would lie before the first one in the middle of the file.
    CHECK(std::count_if(reads.begin(), reads.begin() + 20, [](const Recorded& read) { return read.offset_bytes == ums::kMb; }) == 2);
}

TEST_CASE("the counts of the intervals add up to the totals, and show how even the rate was") {
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

TEST_CASE("a stall that lasts to the end is in the intervals of the results") {
    std::uint64_t first_ns = 0;
    VirtualRun* world = nullptr;
    VirtualRun run([&](const ums::IoRequest& request, std::uint32_t) -> std::uint64_t {
        if (request.size_bytes != 8192 || world == nullptr) return 1000;
        const std::uint64_t now_ns = world->clock.now_ns();
        if (first_ns == 0) first_ns = now_ns;
        return now_ns - first_ns < 300 * ums::kNsPerMs ? 100 * ums::kNsPerUs : 5 * ums::kNsPerSecond;
    });
    world = &run;
    MeasureSpec spec = spec_of(small_target());
    spec.timespans[0].iops_interval_ms = 100;
    const MeasureRow total = run_spec(run, spec).timespans[0].total();
    REQUIRE(total.intervals.size() == 10);
    CHECK(total.intervals[1].reads.requests > 1000);
    CHECK(total.intervals[5].reads.requests == 0);
    CHECK(total.intervals[9].reads.requests == 0);
}

TEST_CASE("the deviation of requests per second covers whole intervals, including those without requests") {
    MeasureRow row;
    row.intervals.resize(2);
    row.intervals[0].reads.requests = 10;
    row.intervals[1].writes.requests = 20;
    // 100, 200 and 0 a second: mean 100, deviation sqrt(20000 / 3).
    CHECK(std::abs(iops_deviation(row, 100, 300'000'000, MeasureDirection::both) - 81.6497) < 0.001);
    CHECK(iops_deviation(row, 100, 199'000'000, MeasureDirection::both) == 0);
}

TEST_CASE("writes are durable, flushed and split as requested") {
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

TEST_CASE("a request that fails ends the measurement with a finding and the results so far") {
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

TEST_CASE("neither a request that failed nor its duration is counted") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.outstanding = 1;
    std::uint64_t reads = 0;
    run.storage.set_fault([&](const Recorded& request) -> std::error_code {
        const bool is_load = request.operation == ums::IoOperation::read && request.size_bytes == 8192 && request.of_load;
        return is_load && ++reads == 1000 ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    const MeasureResults results = run_spec(run, spec_of(target));
    CHECK(results.finding_count == 1);
    REQUIRE(results.timespans.size() == 1);
    const MeasureRow total = results.timespans[0].total();
    CHECK(total.reads.requests == 999);
    CHECK(total.reads.bytes == std::uint64_t{999} * 8192);
    CHECK(total.reads.latency.count() == 999);
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

TEST_CASE("a timespan that cannot begin, because its file does not fit, does not cost the results of those before it") {
    VirtualRun run;
    run.memory.set_capacity(4 * ums::kMb);
    MeasureSpec spec = spec_of(small_target());
    spec.timespans.push_back(spec.timespans[0]);
    spec.timespans[1].targets[0].path = kMeasured + ".large";
    spec.timespans[1].targets[0].create_bytes = 8 * ums::kMb;
    const MeasureResults results = run_spec(run, spec);
    CHECK_THAT(results.failure_reason, ContainsSubstring("cannot be made 8388608 bytes large"));
    REQUIRE(results.timespans.size() == 1);
    CHECK(results.timespans[0].total().reads.requests > 1000);
}

TEST_CASE("a disk of eight channels gets faster up to depth eight, and beyond that only answers more slowly") {
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

TEST_CASE("the seed and the round determine the places of a measurement's requests") {
    const auto places = [](std::uint64_t seed, std::uint32_t round = 0) {
        VirtualRun run;
        MeasureSpec spec = spec_of(small_target());
        spec.timespans[0].seed = seed;
        spec.timespans[0].round = round;
        run_spec(run, spec);
        std::vector<std::uint64_t> offsets;
        for (const Recorded& request : measured_requests(run, ums::IoOperation::read, 8192)) offsets.push_back(request.offset_bytes);
        return offsets;
    };
    const std::vector<std::uint64_t> first = places(1);
    REQUIRE(first.size() > 1000);
    CHECK(places(1) == first);
    CHECK(places(2) != first);
    CHECK(places(1, 1) != first);
    CHECK(places(1, 1) == places(1, 1));
    CHECK(places(1, 2) != places(1, 1));
}

TEST_CASE("a measurement bypasses the system's cache unless it is to go through it") {
    struct OpenSpy final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
            last = how;
            return inner().open(path, how, file);
        }
        std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& how, ums::FileHandle& again) override {
            last = how;
            return inner().reopen(file, how, again);
        }
        ums::OpenOptions last;
    };
    for (const bool is_direct : {true, false}) {
        VirtualRun run;
        OpenSpy spy(run.storage);
        MeasureTarget target = small_target();
        target.direct = is_direct;
        const MeasureResults results = Measurement(spec_of(target), spy, run.clock, run.sink).run();
        CHECK(results.failure_reason.empty());
        CHECK(spy.last.direct == is_direct);
    }
}

TEST_CASE("a finding whose report gets no memory still counts, and what was measured is kept") {
    struct SinkWithoutMemory final : EventSink {
        void on_event(const Event& /*event*/) override {}
        void on_finding(const Finding& /*finding*/) override { throw std::bad_alloc(); }
    };
    VirtualRun run([](const ums::IoRequest& request, std::uint32_t /*outstanding*/) {
        const bool is_stalled = request.operation == ums::IoOperation::read && request.offset_bytes == 0;
        return is_stalled ? 2 * kLostIoSeconds * ums::kNsPerSecond : 100 * ums::kNsPerUs;
    });
    SinkWithoutMemory sink;
    const MeasureResults results = Measurement(spec_of(small_target()), run.storage, run.clock, sink).run();
    CHECK(results.finding_count == 1);
    CHECK(results.timespans.size() == 1);
    CHECK_THAT(results.failure_reason, ContainsSubstring("there is not enough memory"));
    // A measurement has no such setting.
    CHECK_THAT(results.failure_reason, ContainsSubstring("smaller blocks") && !ContainsSubstring("MaxMemoryMB"));
}

TEST_CASE("the time of a phase is zero before a measurement, and when the phase begins while the progress is asked for") {
    // Time passes from one reading to the next.
    class PassingClock final : public ums::Clock {
    public:
        [[nodiscard]] std::uint64_t now_ns() const override { return now++; }
        [[nodiscard]] std::uint64_t utc_us() const override { return 1; }
        [[nodiscard]] bool is_real() const override { return false; }
        mutable std::uint64_t now = 3600 * ums::kNsPerSecond;
    };
    VirtualRun run;
    const PassingClock clock;
    const Measurement measurement(spec_of(small_target()), run.storage, clock, run.sink);
    CHECK(measurement.progress().phase_ns < ums::kNsPerSecond);
    clock.now -= ums::kNsPerSecond;  // as another thread sees it that has been delayed after reading the clock
    CHECK(measurement.progress().phase_ns == 0);
}

TEST_CASE("the results say how much of what is read has no data") {
    VirtualRun run;
    auto file = std::make_unique<MemoryFile>(99);
    const std::vector<std::byte> data(kMb, std::byte{'F'});
    file->write(kMb, data.data(), data.size());
    file->resize(4 * kMb);
    run.memory.put(kMeasured, std::move(file));
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    const auto hole_percent = [&] { return run_spec(run, spec_of(target)).timespans.at(0).targets.at(0).hole_percent; };
    CHECK(hole_percent() == 75);
    target.base_offset_bytes = kMb;
    target.max_offset_bytes = 2 * kMb;
    CHECK(hole_percent() == 0);
    target.max_offset_bytes = 3 * kMb;
    CHECK(hole_percent() == 50);
    target.may_overwrite = true;
    target.write_percent = 100;
    CHECK(hole_percent() == 0);
    target = small_target();
    target.may_overwrite = true;
    CHECK(hole_percent() == 0);  // filled before it is read
    CHECK(run.sink.findings().empty());
}

TEST_CASE("the share of holes is right, and found with few questions, in a file of very many pieces") {
    constexpr std::uint64_t kPieceBytes = 8192;
    class PiecesStorage final : public ums::ForwardingStorage {
    public:
        using ForwardingStorage::ForwardingStorage;
        std::error_code next_data(ums::FileHandle, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                                  std::uint64_t& end_bytes) override {
            ++questions;
            const std::uint64_t piece = offset_bytes / kPieceBytes;  // data is in each second one
            begin_bytes = piece % 2 == 1 ? offset_bytes : (piece + 1) * kPieceBytes;
            end_bytes = (piece / 2 * 2 + 2) * kPieceBytes;
            return {};
        }
        std::uint32_t questions = 0;
    };
    VirtualRun run;
    auto file = std::make_unique<MemoryFile>(99);
    file->resize(1024 * kMb);
    run.memory.put(kMeasured, std::move(file));
    PiecesStorage storage(run.storage);
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    const MeasureResults results = Measurement(spec_of(target), storage, run.clock, run.sink).run();
    CHECK(std::abs(results.timespans.at(0).targets.at(0).hole_percent - 50) < 5);
    CHECK(storage.questions <= 1000);
}
