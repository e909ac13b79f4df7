// A rehearsal of files that one host writes and others read meanwhile: one owner and one to three readers, whole runs, in one virtual time
// on one simulated volume, each with a view of its own. One thing goes wrong in a series, and each reader that is given it must find it
// and give it its name. In half of the series the owner or the witness is lost: then nobody is to blame for that, and no reader may say
// that all was right. A pure function of its arguments.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/group/run_group.hpp"
#include "sim/rehearsal/host_loss.hpp"
#include "sim/rehearsal/hosts_report.hpp"
#include "sim/rehearsal/reader_fault.hpp"

namespace sim {

// `coherence`: what the volume promises; `loss`: who is lost. Of what is not said here, the seed decides. Throws std::bad_alloc if memory
// does not last. Any thread.
[[nodiscard]] HostsReport rehearse_readers(std::uint64_t seed, ReaderFault fault,
                                           std::optional<RunGroup::Coherence> coherence = std::nullopt,
                                           std::optional<HostLoss> loss = std::nullopt);

}  // namespace sim
