#include "sim/bench/machine_watch.hpp"

#include <algorithm>

namespace sim {

namespace {

MeasureCpu cpu_between(const ums::CpuTicks& before, const ums::CpuTicks& after) {
    const auto since = [](std::uint64_t from, std::uint64_t to) { return static_cast<double>(to - std::min(from, to)); };
    const double user = since(before.user, after.user);
    const double kernel = since(before.kernel, after.kernel);
    const double idle = since(before.idle, after.idle);
    const double steal = since(before.steal, after.steal);
    const double all = user + kernel + idle + steal;
    if (all <= 0) return {after.id, 0, 0, 100, 0};
    return {after.id, user * 100 / all, kernel * 100 / all, idle * 100 / all, steal * 100 / all};
}

MeasureDevice device_between(const ums::BlockDevice& before, const ums::BlockDevice& after, std::uint64_t duration_ns) {
    const ums::BlockDeviceCounters& from = before.counters;
    const ums::BlockDeviceCounters& to = after.counters;
    MeasureDevice device;
    device.name = after.name;
    device.reads = to.reads - from.reads;
    device.reads_merged = to.reads_merged - from.reads_merged;
    device.read_bytes = to.read_bytes - from.read_bytes;
    device.writes = to.writes - from.writes;
    device.writes_merged = to.writes_merged - from.writes_merged;
    device.written_bytes = to.written_bytes - from.written_bytes;
    const auto in_queue_ms = static_cast<double>(to.read_time_ms - from.read_time_ms + to.write_time_ms - from.write_time_ms);
    const double elapsed_ms = static_cast<double>(duration_ns) / 1e6;
    const auto requests = static_cast<double>(device.reads + device.writes);
    if (elapsed_ms > 0) {
        device.queue_mean = in_queue_ms / elapsed_ms;
        device.busy_percent = std::min(100.0, static_cast<double>(to.busy_time_ms - from.busy_time_ms) * 100 / elapsed_ms);
    }
    if (requests > 0) device.wait_mean_ms = in_queue_ms / requests;
    return device;
}

}  // namespace

MachineWatch::Moment MachineWatch::now() const {
    Moment moment;
    moment.usage = ums::process_usage();
    moment.cpus = ums::read_cpu_ticks();
    moment.throttling = ums::read_group_throttling();
    for (const std::string& path : paths_) {
        ums::BlockDevice device = ums::block_device_of(path);
        const bool is_known =
            std::any_of(moment.devices.begin(), moment.devices.end(), [&](const auto& each) { return each.name == device.name; });
        if (device.known && !is_known) moment.devices.push_back(std::move(device));
    }
    return moment;
}

void MachineWatch::begin() { begin_ = now(); }
void MachineWatch::end() { end_ = now(); }

void MachineWatch::tell(std::uint64_t duration_ns, MeasureTimespanResults& results) const {
    results.cpu_user_us = end_.usage.user_us - begin_.usage.user_us;
    results.cpu_system_us = end_.usage.system_us - begin_.usage.system_us;
    for (const ums::CpuTicks& after : end_.cpus) {
        const auto before = std::find_if(begin_.cpus.begin(), begin_.cpus.end(), [&](const auto& each) { return each.id == after.id; });
        if (before != begin_.cpus.end()) results.cpus.push_back(cpu_between(*before, after));
    }
    for (const ums::BlockDevice& after : end_.devices) {
        const auto before =
            std::find_if(begin_.devices.begin(), begin_.devices.end(), [&](const auto& each) { return each.name == after.name; });
        if (before != begin_.devices.end()) results.devices.push_back(device_between(*before, after, duration_ns));
    }
    results.throttling.is_known = begin_.throttling.is_known && end_.throttling.is_known;
    results.throttling.cpu_periods_throttled = end_.throttling.periods_throttled - begin_.throttling.periods_throttled;
    results.throttling.cpu_throttled_us = end_.throttling.throttled_us - begin_.throttling.throttled_us;
    results.throttling.io_stalled_us = end_.throttling.io_stalled_us - begin_.throttling.io_stalled_us;
}

}  // namespace sim
