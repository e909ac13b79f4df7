// A rehearsal of files that one host writes while others read them: one owner and one to three readers, each a whole run with its own view,
// in one virtual time on one simulated volume. In each series one thing goes wrong, and each reader that is given it must find and name it.
// In half of the series the owner or the witness is lost: nothing may be blamed for that, and no reader may report that all was right. A
// pure function of its arguments.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/group/run_group.hpp"
#include "sim/rehearsal/host_loss.hpp"
#include "sim/rehearsal/hosts_report.hpp"
#include "sim/rehearsal/reader_fault.hpp"

namespace sim {

// `coherence`: what the volume promises; `loss`: what is lost. The seed decides whatever is left empty. Throws std::bad_alloc if memory
// runs out. Any thread.
[[nodiscard]] HostsReport rehearse_readers(std::uint64_t seed, ReaderFault fault,
                                           std::optional<RunGroup::Coherence> coherence = std::nullopt,
                                           std::optional<HostLoss> loss = std::nullopt);

}  // namespace sim
