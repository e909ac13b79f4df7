// Translates DiskSpd's profile for the measuring engine. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/diskspd/diskspd_arguments.hpp"
#include "sim/bench/measure_spec.hpp"
#include "ums/base/processor_topology.hpp"

namespace cli {

// The CPUs to which threads are bound in turn, as -a says; empty = not bound. `allowed`: those that the process may run on, by number; they
// are the default, as in DiskSpd. Returns at most as many as there are threads. Throws UsageError for a CPU that is not allowed.
std::vector<std::uint32_t> diskspd_cpus(const DiskspdArguments& arguments, const reports::DiskspdTimeSpan& span,
                                        const std::vector<std::uint32_t>& allowed, const ums::ProcessorTopology& topology);

// `profile` must have passed check_diskspd_profile(). The caller still has to fill in the bytes of targets with -Z<size>, and the affinity.
// Throws UsageError for anything that has no counterpart in the engine.
sim::MeasureSpec diskspd_specification(const DiskspdArguments& arguments, const reports::DiskspdProfile& profile);

}  // namespace cli
