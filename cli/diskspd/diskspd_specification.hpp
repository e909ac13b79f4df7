// What DiskSpd's profile means for the measuring engine. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/diskspd/diskspd_arguments.hpp"
#include "sim/bench/measure_spec.hpp"
#include "ums/base/processor_topology.hpp"

namespace cli {

// CPUs that threads are bound to, in turn, as -a says; empty = not bound. `allowed`: those that the process may run on, by number; they are
// the default, as in DiskSpd. At most as many as there are threads. Throws UsageError for a CPU that is not among them.
std::vector<std::uint32_t> diskspd_cpus(const DiskspdArguments& arguments, const reports::DiskspdTimeSpan& span,
                                        const std::vector<std::uint32_t>& allowed, const ums::ProcessorTopology& topology);

// `profile` has passed check_diskspd_profile(). The bytes of targets with -Z<size> are still to be filled in; affinity is left empty.
// Throws UsageError for anything that has no counterpart in the engine.
sim::MeasureSpec diskspd_specification(const DiskspdArguments& arguments, const reports::DiskspdProfile& profile);

}  // namespace cli
