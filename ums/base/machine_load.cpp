#include "ums/base/machine_load.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "ums/base/control_groups.hpp"

namespace ums {

namespace {

// "key 123" in a file of such lines; 0 if it is not there.
std::uint64_t value_of_key(std::istream& lines, const std::string& key, bool& is_found) {
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t value = 0;
        if (words >> name >> value && name == key) {
            is_found = true;
            return value;
        }
    }
    return 0;
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=123"
std::uint64_t some_total_us(const std::string& file) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t place = line.find("total=");
        if (line.rfind("some", 0) == 0 && place != std::string::npos) {
            std::istringstream number(line.substr(place + 6));
            std::uint64_t value = 0;
            number >> value;
            return value;
        }
    }
    return 0;
}

}  // namespace

std::vector<CpuTicks> read_cpu_ticks(const std::string& root) {
    std::vector<CpuTicks> cpus;
    std::ifstream lines(root + "/proc/stat");
    for (std::string line; std::getline(lines, line);) {
        if (line.size() < 4 || line.rfind("cpu", 0) != 0 || std::isdigit(static_cast<unsigned char>(line[3])) == 0) continue;
        std::istringstream words(line.substr(3));
        CpuTicks cpu;
        std::uint64_t nice = 0;
        std::uint64_t waiting = 0;
        std::uint64_t interrupts = 0;
        std::uint64_t soft_interrupts = 0;
        words >> cpu.id >> cpu.user >> nice >> cpu.kernel >> cpu.idle >> waiting >> interrupts >> soft_interrupts >> cpu.steal;
        cpu.user += nice;
        cpu.kernel += interrupts + soft_interrupts;
        cpu.idle += waiting;
        cpus.push_back(cpu);
    }
    return cpus;
}

GroupThrottling read_group_throttling(const std::string& root) {
    GroupThrottling throttling;
    for (const std::string& folder : control_group_folders(root, "")) {
        std::ifstream periods(folder + "/cpu.stat");
        throttling.periods_throttled = std::max(throttling.periods_throttled, value_of_key(periods, "nr_throttled", throttling.is_known));
        std::ifstream time(folder + "/cpu.stat");
        throttling.throttled_us = std::max(throttling.throttled_us, value_of_key(time, "throttled_usec", throttling.is_known));
    }
    const std::vector<std::string> folders = control_group_folders(root, "");
    if (!folders.empty()) throttling.io_stalled_us = some_total_us(folders.front() + "/io.pressure");
    return throttling;
}

GroupThrottling throttling_between(const GroupThrottling& before, const GroupThrottling& after) {
    const auto since = [](std::uint64_t from, std::uint64_t to) { return to - std::min(from, to); };
    return {.is_known = before.is_known && after.is_known,
            .periods_throttled = since(before.periods_throttled, after.periods_throttled),
            .throttled_us = since(before.throttled_us, after.throttled_us),
            .io_stalled_us = since(before.io_stalled_us, after.io_stalled_us)};
}

}  // namespace ums
