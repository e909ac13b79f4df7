// What CPUs, disks and control groups do during a measurement. It reads their counters at the start, about once a second, and at the end,
// and takes the differences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/bench/measure_results.hpp"
#include "ums/base/machine_load.hpp"
#include "ums/base/process_usage.hpp"
#include "ums/base/units.hpp"
#include "ums/io/block_device.hpp"

namespace sim {

class MachineWatch {
public:
    // `paths`: of the measured files and devices.
    explicit MachineWatch(std::vector<std::string> paths, ums::BlockDeviceRoots roots = {})
        : paths_(std::move(paths)), roots_(std::move(roots)) {}

    // Reads the counters: first when the measured time begins, last when it ends. Blocking, a millisecond or less; any thread, one at a
    // time.
    void look(std::uint64_t now_ns);
    // How long to wait before the next look. A measurement of hours is looked at less often, but once a minute: what the system shows of
    // the times of a disk with many outstanding requests must not start over twice in between.
    [[nodiscard]] std::uint64_t period_ns() const { return std::min(period_ns_, 60 * ums::kNsPerSecond); }
    // Puts the differences into `results`, those from first to last and those from look to look. After two looks or more.
    void tell(MeasureTimespanResults& results) const;

private:
    struct Moment {
        std::uint64_t at_ns = 0;
        std::vector<ums::CpuTicks> cpus;
        std::vector<ums::BlockDevice> devices;  // each disk once, with whole times
        ums::GroupThrottling throttling;
        ums::ProcessUsage usage;
    };

    [[nodiscard]] Moment moment(std::uint64_t now_ns);
    static std::vector<MeasureCpu> cpus_between(const Moment& before, const Moment& after);
    static std::vector<MeasureDevice> devices_between(const Moment& before, const Moment& after);
    static MeasureMachineSample sample_between(const Moment& before, const Moment& after);

    const std::vector<std::string> paths_;
    const ums::BlockDeviceRoots roots_;
    std::map<std::string, ums::WholeTimes> times_;  // by the name of the disk
    std::vector<Moment> moments_;
    // The least time between two moments, except the last two: a measurement of hours has as many samples as one of minutes.
    std::uint64_t period_ns_ = ums::kNsPerSecond;
};

}  // namespace sim
