// What CPUs, disks and control groups did between two moments of a measurement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/bench/measure_results.hpp"
#include "ums/base/machine_load.hpp"
#include "ums/base/process_usage.hpp"
#include "ums/io/block_device.hpp"

namespace sim {

class MachineWatch {
public:
    // `paths`: of the measured files and devices.
    explicit MachineWatch(std::vector<std::string> paths) : paths_(std::move(paths)) {}

    // Read the counters; blocking, for a millisecond or less.
    void begin();
    void end();
    // Puts the differences, over `duration_ns`, into `results`.
    void tell(std::uint64_t duration_ns, MeasureTimespanResults& results) const;

private:
    struct Moment {
        std::vector<ums::CpuTicks> cpus;
        std::vector<ums::BlockDevice> devices;  // each disk once
        ums::GroupThrottling throttling;
        ums::ProcessUsage usage;
    };

    [[nodiscard]] Moment now() const;

    const std::vector<std::string> paths_;
    Moment begin_;
    Moment end_;
};

}  // namespace sim
