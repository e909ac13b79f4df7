#include "sim/bench/machine_watch.hpp"

#include <algorithm>
#include <utility>

#include "ums/base/assert.hpp"

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
    device.reads = ums::count_between(from.reads, to.reads);
    device.reads_merged = ums::count_between(from.reads_merged, to.reads_merged);
    device.read_bytes = ums::count_between(from.read_bytes, to.read_bytes);
    device.writes = ums::count_between(from.writes, to.writes);
    device.writes_merged = ums::count_between(from.writes_merged, to.writes_merged);
    device.written_bytes = ums::count_between(from.written_bytes, to.written_bytes);
    const auto in_queue_ms =
        static_cast<double>(ums::ms_between(from.read_time_ms, to.read_time_ms) + ums::ms_between(from.write_time_ms, to.write_time_ms));
    const double elapsed_ms = static_cast<double>(duration_ns) / 1e6;
    const auto requests = static_cast<double>(device.reads + device.writes);
    if (elapsed_ms > 0) {
        device.queue_mean = in_queue_ms / elapsed_ms;
        device.busy_percent = std::min(100.0, static_cast<double>(ums::ms_between(from.busy_time_ms, to.busy_time_ms)) * 100 / elapsed_ms);
    }
    if (requests > 0) device.wait_mean_ms = in_queue_ms / requests;
    return device;
}

// One more than samples: counters are read at both ends of each.
constexpr std::size_t kMomentsMax = 513;

}  // namespace

MachineWatch::Moment MachineWatch::moment(std::uint64_t now_ns) {
    Moment moment;
    moment.at_ns = now_ns;
    moment.usage = ums::process_usage();
    moment.cpus = ums::read_cpu_ticks();
    moment.throttling = ums::read_group_throttling();
    for (const std::string& path : paths_) {
        ums::BlockDevice device = ums::block_device_of(path, roots_);
        const bool is_known =
            std::any_of(moment.devices.begin(), moment.devices.end(), [&](const auto& each) { return each.name == device.name; });
        if (!device.known || is_known) continue;
        device.counters = times_[device.name].next(device.counters);
        moment.devices.push_back(std::move(device));
    }
    return moment;
}

void MachineWatch::look(std::uint64_t now_ns) {
    const std::size_t count = moments_.size();
    const bool was_early = count >= 2 && moments_[count - 1].at_ns - moments_[count - 2].at_ns < period_ns_;
    if (was_early) moments_.pop_back();
    moments_.push_back(moment(now_ns));
    if (moments_.size() < kMomentsMax) return;
    // Counters add up, so that every second moment can go without a loss. The first one stays: moved to itself, it would be empty.
    std::size_t kept = 1;
    for (std::size_t i = 2; i < moments_.size(); i += 2) moments_[kept++] = std::move(moments_[i]);
    moments_.resize(kept);
    period_ns_ *= 2;
}

std::vector<MeasureCpu> MachineWatch::cpus_between(const Moment& before, const Moment& after) {
    std::vector<MeasureCpu> cpus;
    for (const ums::CpuTicks& to : after.cpus) {
        const auto from = std::find_if(before.cpus.begin(), before.cpus.end(), [&](const auto& each) { return each.id == to.id; });
        if (from != before.cpus.end()) cpus.push_back(cpu_between(*from, to));
    }
    return cpus;
}

std::vector<MeasureDevice> MachineWatch::devices_between(const Moment& before, const Moment& after) {
    std::vector<MeasureDevice> devices;
    for (const ums::BlockDevice& to : after.devices) {
        const auto from =
            std::find_if(before.devices.begin(), before.devices.end(), [&](const auto& each) { return each.name == to.name; });
        if (from != before.devices.end()) devices.push_back(device_between(*from, to, after.at_ns - before.at_ns));
    }
    return devices;
}

MeasureMachineSample MachineWatch::sample_between(const Moment& before, const Moment& after) {
    MeasureMachineSample sample;
    const std::vector<MeasureCpu> cpus = cpus_between(before, after);
    for (const MeasureCpu& cpu : cpus) {
        sample.user_percent += cpu.user_percent / static_cast<double>(cpus.size());
        sample.kernel_percent += cpu.kernel_percent / static_cast<double>(cpus.size());
        sample.busiest_percent = std::max(sample.busiest_percent, cpu.usage_percent());
    }
    sample.cpu_throttled_us = ums::throttling_between(before.throttling, after.throttling).throttled_us;
    sample.devices = devices_between(before, after);
    return sample;
}

void MachineWatch::tell(MeasureTimespanResults& results) const {
    UMS_ASSERT(moments_.size() >= 2);
    const Moment& first = moments_.front();
    const Moment& last = moments_.back();
    results.cpu_user_us = last.usage.user_us - first.usage.user_us;
    results.cpu_system_us = last.usage.system_us - first.usage.system_us;
    results.cpus = cpus_between(first, last);
    results.devices = devices_between(first, last);
    const ums::GroupThrottling throttling = ums::throttling_between(first.throttling, last.throttling);
    results.throttling = {.is_known = throttling.is_known,
                          .cpu_periods_throttled = throttling.periods_throttled,
                          .cpu_throttled_us = throttling.throttled_us,
                          .io_stalled_us = throttling.io_stalled_us};
    for (std::size_t i = 1; i < moments_.size(); ++i) {
        results.samples.push_back(sample_between(moments_[i - 1], moments_[i]));
        results.samples.back().end_ns = moments_[i].at_ns - first.at_ns;
    }
}

}  // namespace sim
