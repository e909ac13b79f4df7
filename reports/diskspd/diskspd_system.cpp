#include "reports/diskspd/diskspd_system.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ums/base/calendar.hpp"

namespace reports {
namespace {

using ums::Processor;
using ums::ProcessorTopology;

std::string start_time_text(std::uint64_t utc_us) {
    if (utc_us == 0) return "";
    const std::tm fields = ums::utc_calendar(utc_us).fields;
    return fmt::format("{}/{:02}/{:02} {:02}:{:02}:{:02} UTC", fields.tm_year + 1900, fields.tm_mon + 1, fields.tm_mday, fields.tm_hour,
                       fields.tm_min, fields.tm_sec);
}

std::uint32_t group_count(const ProcessorTopology& topology) {
    return topology.processors.empty() ? 0 : topology.processors.back().id / kDiskspdGroupCpus + 1;
}

// CPUs as one bit each, by group.
using Masks = std::map<std::uint32_t, std::uint64_t>;

template <typename Belongs>
Masks masks_of(const ProcessorTopology& topology, const Belongs& belongs) {
    Masks masks;
    for (const Processor& processor : topology.processors) {
        if (belongs(processor)) masks[processor.id / kDiskspdGroupCpus] |= std::uint64_t{1} << processor.id % kDiskspdGroupCpus;
    }
    return masks;
}

void add_masks(DiskspdXml& xml, const Masks& masks) {
    for (const auto& [group, mask] : masks) xml.empty("Group", fmt::format(" Group=\"{}\" Mask=\"0x{:x}\"", group, mask));
}

void add_topology(DiskspdXml& xml, const ProcessorTopology& topology) {
    xml.open("ProcessorTopology", " Heterogeneous=\"false\"");
    for (const auto& [group, mask] : masks_of(topology, [](const Processor&) { return true; })) {
        const auto in_group = [number = group](const Processor& processor) { return processor.id / kDiskspdGroupCpus == number; };
        const auto count = std::count_if(topology.processors.begin(), topology.processors.end(), in_group);
        xml.empty("Group", fmt::format(" Group=\"{}\" MaximumProcessors=\"{}\" ActiveProcessors=\"{}\" ActiveProcessorMask=\"0x{:x}\"",
                                       group, count, count, mask));
    }
    std::map<std::uint32_t, Masks> nodes;
    for (const Processor& processor : topology.processors) {
        nodes.try_emplace(processor.node, masks_of(topology, [&](const Processor& other) { return other.node == processor.node; }));
    }
    for (const auto& [node, masks] : nodes) {
        xml.open("Node", fmt::format(" Node=\"{}\"", node));
        add_masks(xml, masks);
        xml.close("Node");
    }
    for (std::uint32_t socket = 0; socket < topology.socket_count; ++socket) {
        xml.open("Socket", fmt::format(" Socket=\"{}\"", socket));
        add_masks(xml, masks_of(topology, [&](const Processor& processor) { return processor.socket == socket; }));
        xml.close("Socket");
    }
    for (std::uint32_t core = 0; core < topology.core_count; ++core) {
        for (const auto& [group, mask] : masks_of(topology, [&](const Processor& processor) { return processor.core == core; })) {
            xml.empty("Core", fmt::format(" Group=\"{}\" Core=\"{}\" Mask=\"0x{:x}\" EfficiencyClass=\"0\"", group, core, mask));
        }
    }
    xml.close("ProcessorTopology");
}

}  // namespace

std::string diskspd_system_text(const DiskspdSystem& system) {
    const ProcessorTopology& topology = system.topology;
    return fmt::format(
        "System information:\n"
        "\n"
        "\tcomputer name: {}\n"
        "\tstart time: {}\n"
        "\n"
        "\tcpu count:\t\t{}\n"
        "\tcore count:\t\t{}\n"
        "\tgroup count:\t\t{}\n"
        "\tnode count:\t\t{}\n"
        "\tsocket count:\t\t{}\n"
        "\theterogeneous cores:\tn\n"
        "\n"
        "\tactive power scheme:\t{}\n",
        system.computer_name, start_time_text(system.start_utc_us), topology.processors.size(), topology.core_count, group_count(topology),
        topology.node_count, topology.socket_count, topology.frequency_governor);
}

void add_diskspd_system(DiskspdXml& xml, const DiskspdSystem& system) {
    xml.open("System");
    xml.text("ComputerName", system.computer_name);
    xml.open("Tool");
    xml.text("Version", system.tool_version);
    xml.text("VersionDate", "");
    xml.close("Tool");
    xml.text("RunTime", start_time_text(system.start_utc_us));
    xml.empty("PowerScheme", fmt::format(" Name=\"{}\" Guid=\"\"", xml_escaped(system.topology.frequency_governor)));
    add_topology(xml, system.topology);
    xml.close("System");
}

std::string diskspd_system_xml(const DiskspdSystem& system) {
    DiskspdXml xml;
    add_diskspd_system(xml, system);
    return xml.take();
}

}  // namespace reports
