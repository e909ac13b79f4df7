// The block device below a file of a run: what it is, and what it did meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sim/results.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/block_device.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// One thread at a time. The device is looked up once; after that, only files of /sys are read, which never wait for it.
class DriveWatch {
public:
    // Counts from now on.
    explicit DriveWatch(const std::string& path, ums::BlockDeviceRoots roots = {});

    // Call it now and then, because the counters of the drive's times start over: after an hour with a thousand requests outstanding, after
    // a minute with as many as a disk with 64 queues may have (65,000).
    void look() { static_cast<void>(read()); }
    // Present facts, and counters since the beginning, `elapsed_ms` ago.
    [[nodiscard]] DriveFacts facts(std::uint64_t elapsed_ms);

private:
    ums::BlockDevice read();

    ums::BlockDeviceRoots roots_;
    std::optional<ums::DeviceNumber> number_;  // none: the file has no block device of its own
    ums::WholeTimes times_;
    ums::BlockDeviceCounters begin_;
};

// Looks at all drives every minute until `stop` is set. They must outlive the task, and nobody else uses them meanwhile.
ums::Task<void> watch_drives(std::span<DriveWatch> drives, const ums::Clock& clock, ums::Event& stop);

}  // namespace sim
