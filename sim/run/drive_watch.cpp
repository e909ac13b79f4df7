#include "sim/run/drive_watch.hpp"

#include <algorithm>
#include <utility>

#include "ums/base/units.hpp"
#include "ums/sched/blocking_call.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kDriveLookNs = 60 * ums::kNsPerSecond;

}  // namespace

DriveWatch::DriveWatch(const std::string& path, ums::BlockDeviceRoots roots)
    : roots_(std::move(roots)), number_(ums::device_number_of(path, roots_)), begin_(read().counters) {}

ums::BlockDevice DriveWatch::read() {
    if (!number_) return {};
    ums::BlockDevice device = ums::read_block_device(number_->major, number_->minor, roots_);
    if (device.known) device.counters = times_.next(device.counters);
    return device;
}

DriveFacts DriveWatch::facts(std::uint64_t elapsed_ms) {
    const ums::BlockDevice device = read();
    DriveFacts facts;
    if (!device.known) return facts;
    facts.known = true;
    facts.name = device.name;
    facts.number = device.number;
    facts.manager = device.driver;
    facts.logical_sector_bytes = device.logical_sector_bytes;
    facts.physical_sector_bytes = device.physical_sector_bytes;
    facts.size_bytes = device.size_bytes;
    facts.rotational = device.is_rotational;
    facts.removable = device.is_removable;
    facts.read_cache = true;  // Linux does not tell; every disk has one
    facts.write_cache = device.has_write_cache;
    facts.fua = device.has_fua;
    const ums::BlockDeviceCounters& now = device.counters;
    facts.reads = ums::count_between(begin_.reads, now.reads);
    facts.read_time_ms = ums::count_between(begin_.read_time_ms, now.read_time_ms);
    facts.writes = ums::count_between(begin_.writes, now.writes);
    facts.write_time_ms = ums::count_between(begin_.write_time_ms, now.write_time_ms);
    facts.idle_time_ms = elapsed_ms - std::min(elapsed_ms, ums::count_between(begin_.busy_time_ms, now.busy_time_ms));
    facts.read_bytes = ums::count_between(begin_.read_bytes, now.read_bytes);
    facts.written_bytes = ums::count_between(begin_.written_bytes, now.written_bytes);
    facts.merged_requests = ums::count_between(begin_.reads_merged + begin_.writes_merged, now.reads_merged + now.writes_merged);
    return facts;
}

ums::Task<void> watch_drives(std::span<DriveWatch> drives, const ums::Clock& clock, ums::Event& stop) {
    for (;;) {
        const bool is_over = co_await stop.wait(ums::WaitType::sleep_task, clock.now_ns() + kDriveLookNs);
        if (is_over) co_return;
        co_await ums::run_blocking([drives] {
            for (DriveWatch& drive : drives) drive.look();
        });
    }
}

}  // namespace sim
