#include "ums/base/processor_topology.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "ums/base/sysfs_value.hpp"
#include "ums/base/whole_number.hpp"

namespace ums {
namespace {

// "0-3,8" -> 0 1 2 3 8. If the text is malformed, returns what could be read before that.
std::vector<std::uint32_t> ids_in(std::string_view list) {
    constexpr std::uint32_t kIdMax = 65535;
    std::vector<std::uint32_t> ids;
    while (!list.empty()) {
        const std::string_view part = list.substr(0, list.find(','));
        list.remove_prefix(std::min(part.size() + 1, list.size()));
        const std::size_t dash = part.find('-');
        const auto first = whole_number<std::uint32_t>(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : whole_number<std::uint32_t>(part.substr(dash + 1));
        if (!first || !last || *last > kIdMax) break;
        for (std::uint32_t id = *first; id <= *last; ++id) ids.push_back(id);
    }
    return ids;
}

// Numbers things in the order in which they are first seen.
template <typename Thing>
class Numbering {
public:
    std::uint32_t number_of(const Thing& thing) { return numbers_.try_emplace(thing, count()).first->second; }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }

private:
    std::map<Thing, std::uint32_t> numbers_;
};

}  // namespace

ProcessorTopology processor_topology(const std::string& root) {
    const std::string cpus = root + "/sys/devices/system/cpu";
    const std::string nodes = root + "/sys/devices/system/node";
    std::map<std::uint32_t, std::uint32_t> node_of_cpu;
    for (const std::uint32_t node : ids_in(read_line(nodes + "/online"))) {
        for (const std::uint32_t cpu : ids_in(read_line(nodes + "/node" + std::to_string(node) + "/cpulist"))) node_of_cpu[cpu] = node;
    }
    ProcessorTopology topology;
    Numbering<std::uint32_t> sockets;
    Numbering<std::pair<std::uint32_t, std::uint32_t>> cores;  // socket, core within it
    Numbering<std::uint32_t> used_nodes;
    for (const std::uint32_t id : ids_in(read_line(cpus + "/online"))) {
        const std::string folder = cpus + "/cpu" + std::to_string(id) + "/topology";
        const std::uint32_t package = whole_number<std::uint32_t>(read_line(folder + "/physical_package_id")).value_or(0);
        const std::uint32_t core = whole_number<std::uint32_t>(read_line(folder + "/core_id")).value_or(id);
        const std::uint32_t node = node_of_cpu.count(id) != 0 ? node_of_cpu[id] : 0;
        used_nodes.number_of(node);
        topology.processors.push_back(
            {.id = id, .core = cores.number_of({package, core}), .socket = sockets.number_of(package), .node = node});
    }
    topology.core_count = cores.count();
    topology.socket_count = sockets.count();
    topology.node_count = used_nodes.count();
    topology.frequency_governor = read_line(cpus + "/cpu0/cpufreq/scaling_governor");
    return topology;
}

}  // namespace ums
