// Translates DiskSpd's profile for the measuring engine. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/diskspd/diskspd_arguments.hpp"
#include "sim/bench/measure_spec.hpp"
#include "ums/base/processor_topology.hpp"

namespace cli {

// Names in the time span the CPUs that -ag# and -ac mean on this machine: a profile has no other words for them, and without them -X would
// not repeat the measurement. `allowed`: the CPUs that the process may run on, by number. Throws UsageError for a group without such a CPU.
void name_diskspd_cpus(const DiskspdArguments& arguments, const std::vector<std::uint32_t>& allowed, const ums::ProcessorTopology& topology,
                       reports::DiskspdTimeSpan& span);

// The CPUs to which threads are bound in turn; empty = not bound. `allowed`: as above; they are the default, as in DiskSpd. Returns at most
// as many as there are threads. Throws UsageError for a CPU that is not allowed.
std::vector<std::uint32_t> diskspd_cpus(const reports::DiskspdTimeSpan& span, const std::vector<std::uint32_t>& allowed);

// `profile` must have passed check_diskspd_profile(). The caller still has to fill in the bytes of targets with -Z<size>, and the affinity.
// Throws UsageError for anything that has no counterpart in the engine.
sim::MeasureSpec diskspd_specification(const DiskspdArguments& arguments, const reports::DiskspdProfile& profile);

}  // namespace cli
