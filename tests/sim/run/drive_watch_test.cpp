// What is known about the disk below a file, read from a made-up /sys.
#include "sim/run/drive_watch.hpp"

#include <vector>

#include "tests/sim/support/disk_tree.hpp"
#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task_group.hpp"

using sim::DriveFacts;
using sim::DriveWatch;
using sim::testing::DiskTree;
using sim::testing::VirtualWorld;

TEST_CASE("the figures of a drive count from the begin of the run, and it is idle when it is not busy") {
    const DiskTree tree;
    tree.set(100, 5000, 3000);
    DriveWatch drive(DiskTree::kFile, tree.roots());
    tree.set(107, 5400, 3300);
    const DriveFacts facts = drive.facts(1000);
    CHECK(facts.known);
    CHECK(facts.name == "dm-3");
    CHECK(facts.number == 3);
    CHECK(facts.reads == 7);
    CHECK(facts.read_time_ms == 400);
    CHECK(facts.writes == 0);
    CHECK(facts.idle_time_ms == 700);
}

TEST_CASE("the times of a drive are right in a run of weeks, in which what the system shows of them starts over again and again") {
    constexpr std::uint64_t kDayMs = 24ULL * 3600 * 1000;
    constexpr std::uint64_t kOutstanding = 100;
    constexpr std::uint64_t kShownMs = std::uint64_t{1} << 32;
    constexpr std::uint64_t kDays = 60;
    const DiskTree tree;
    DriveWatch drive(DiskTree::kFile, tree.roots());
    for (std::uint64_t day = 0; day < kDays; ++day) {
        for (std::uint64_t quarter = 1; quarter <= 4; ++quarter) {
            const std::uint64_t elapsed_ms = day * kDayMs + quarter * kDayMs / 4;
            tree.set(elapsed_ms, elapsed_ms * kOutstanding % kShownMs, elapsed_ms % kShownMs);
            drive.look();
        }
    }
    const DriveFacts facts = drive.facts(kDays * kDayMs);
    CHECK(facts.reads == kDays * kDayMs);
    CHECK(facts.read_time_ms == kDays * kDayMs * kOutstanding);
    CHECK(facts.idle_time_ms == 0);
}

TEST_CASE("the times of a drive are right with as many outstanding requests as a disk may have") {
    constexpr std::uint64_t kOutstanding = 60'000;
    constexpr std::uint64_t kShownMs = std::uint64_t{1} << 32;
    constexpr std::uint64_t kStepMs = 20'000;
    constexpr std::uint64_t kSteps = 90;  // half an hour
    const DiskTree tree;
    std::vector<DriveWatch> drives;
    drives.emplace_back(DiskTree::kFile, tree.roots());
    VirtualWorld world;
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        ums::Event stop;
        ums::TaskGroup watching;
        (*w.schedulers)[0].spawn(watching, "Monitor", sim::watch_drives(drives, w.clock, stop));
        for (std::uint64_t step = 1; step <= kSteps; ++step) {
            co_await ums::sleep_until(w.clock.now_ns() + kStepMs * ums::kNsPerMs);
            tree.set(step, step * kStepMs * kOutstanding % kShownMs, 0);
        }
        stop.set();
        co_await watching.join();
    });
    CHECK(drives[0].facts(kSteps * kStepMs).read_time_ms == kSteps * kStepMs * kOutstanding);
}

TEST_CASE("a file without a block device of its own has a drive that is not known") {
    DriveWatch drive("/does/not/exist");
    drive.look();
    const DriveFacts facts = drive.facts(1000);
    CHECK_FALSE(facts.known);
    CHECK(facts.reads == 0);
    CHECK(facts.idle_time_ms == 0);
}
