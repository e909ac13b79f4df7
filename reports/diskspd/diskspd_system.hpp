// What DiskSpd reports about the machine, as text and as XML. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "reports/diskspd/diskspd_xml.hpp"
#include "ums/base/processor_topology.hpp"

namespace reports {

struct DiskspdSystem {
    std::string tool_version;  // ioproof's name and version
    std::string computer_name;
    std::uint64_t start_utc_us = 0;
    ums::ProcessorTopology topology;
};

// "System information:" and what follows it, up to the empty line at its end. A group is a set of at most 64 CPUs, as on Windows; the
// frequency governor takes the place of the power scheme.
std::string diskspd_system_text(const DiskspdSystem& system);

void add_diskspd_system(DiskspdXml& xml, const DiskspdSystem& system);

// Only the element System.
std::string diskspd_system_xml(const DiskspdSystem& system);

inline constexpr std::uint32_t kDiskspdGroupCpus = 64;

}  // namespace reports
