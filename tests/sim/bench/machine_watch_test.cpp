#include "sim/bench/machine_watch.hpp"

#include <cstdint>

#include "tests/sim/support/disk_tree.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using ums::kNsPerSecond;

TEST_CASE("the samples of a machine cover the measured time without a gap") {
    sim::MachineWatch watch({"/"});
    watch.look(10 * kNsPerSecond);
    watch.look(11 * kNsPerSecond);
    watch.look(13 * kNsPerSecond);
    sim::MeasureTimespanResults results;
    watch.tell(results);
    REQUIRE(results.samples.size() == 2);
    CHECK(results.samples[0].end_ns == 1 * kNsPerSecond);
    CHECK(results.samples[1].end_ns == 3 * kNsPerSecond);
    for (const sim::MeasureMachineSample& sample : results.samples) {
        CHECK(sample.devices.size() == results.devices.size());
        CHECK(sample.user_percent + sample.kernel_percent <= 100.001);
        CHECK(sample.busiest_percent <= 100.001);
    }
}

TEST_CASE("a measurement of hours has as many samples of the machine as one of minutes, and its times stay right") {
    sim::MachineWatch watch({});
    std::uint64_t now_ns = 0;
    watch.look(now_ns);
    while (now_ns < 4 * 3600 * kNsPerSecond) {
        now_ns += watch.period_ns();
        watch.look(now_ns);
    }
    CHECK(watch.period_ns() == 32 * kNsPerSecond);
    sim::MeasureTimespanResults results;
    watch.tell(results);
    CHECK(results.samples.size() > 256);
    CHECK(results.samples.size() <= 512);
    CHECK(results.samples.back().end_ns == now_ns);
    for (std::size_t i = 1; i < results.samples.size(); ++i) CHECK(results.samples[i].end_ns > results.samples[i - 1].end_ns);
}

TEST_CASE("the queue of a disk is right in a measurement so long that what the system shows of its times starts over again and again") {
    constexpr std::uint64_t kQueue = 256;
    constexpr std::uint64_t kHours = 48;
    constexpr std::uint64_t kHourMs = 3'600'000;
    const sim::testing::DiskTree tree;
    sim::MachineWatch watch({sim::testing::DiskTree::kFile}, tree.roots());
    for (std::uint64_t hour = 0; hour <= kHours; ++hour) {
        tree.set(hour * 1000, hour * kHourMs * kQueue % (std::uint64_t{1} << 32), hour * kHourMs);
        watch.look(hour * 3600 * kNsPerSecond);
    }
    sim::MeasureTimespanResults results;
    watch.tell(results);
    REQUIRE(results.devices.size() == 1);
    CHECK(results.devices[0].queue_mean == Approx(kQueue));
    CHECK(results.devices[0].wait_mean_ms == Approx(kHourMs * kQueue / 1000));
    CHECK(results.devices[0].busy_percent == Approx(100));
    REQUIRE(results.samples.size() == kHours);
    for (const sim::MeasureMachineSample& sample : results.samples) CHECK(sample.devices.at(0).queue_mean == Approx(kQueue));
}

TEST_CASE("a measurement so long that samples of the machine are dropped still knows what CPUs and disks did from its beginning") {
    const sim::testing::DiskTree tree;
    sim::MachineWatch watch({sim::testing::DiskTree::kFile}, tree.roots());
    constexpr std::uint64_t kSeconds = 600;
    for (std::uint64_t second = 0; second <= kSeconds; ++second) {
        tree.set(second, 0, 0);
        watch.look(second * kNsPerSecond);
    }
    sim::MeasureTimespanResults results;
    watch.tell(results);
    CHECK(results.samples.size() < kSeconds);
    CHECK_FALSE(results.cpus.empty());
    REQUIRE(results.devices.size() == 1);
    CHECK(results.devices[0].reads == kSeconds);
    for (const sim::MeasureMachineSample& sample : results.samples) CHECK(sample.devices.size() == 1);
}

TEST_CASE("the queue of a disk with as many outstanding requests as it may have is right in a measurement of hours") {
    constexpr std::uint64_t kQueue = 60'000;
    constexpr std::uint64_t kHours = 12;
    const sim::testing::DiskTree tree;
    sim::MachineWatch watch({sim::testing::DiskTree::kFile}, tree.roots());
    std::uint64_t now_ns = 0;
    watch.look(now_ns);
    while (now_ns < kHours * 3600 * kNsPerSecond) {
        now_ns += watch.period_ns();
        const std::uint64_t now_ms = now_ns / ums::kNsPerMs;
        tree.set(now_ms, now_ms * kQueue % (std::uint64_t{1} << 32), 0);
        watch.look(now_ns);
    }
    sim::MeasureTimespanResults results;
    watch.tell(results);
    CHECK(results.samples.size() > 128);
    CHECK(results.samples.size() <= 512);
    CHECK(results.samples.back().end_ns == now_ns);
    CHECK(results.devices.at(0).queue_mean == Approx(kQueue));
    for (const sim::MeasureMachineSample& sample : results.samples) CHECK(sample.devices.at(0).queue_mean == Approx(kQueue));
}
