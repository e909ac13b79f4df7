// What a ledger outside of the storage has to say of files that a crash has left.
#pragma once

#include <optional>

#include "sim/promises/promise_keeper.hpp"
#include "sim/results.hpp"
#include "sim/verify/left_files.hpp"

namespace sim {

struct LeftPromises {
    std::optional<Promises> promises;  // of the run of the files; nothing if none can be demanded
    PromisesResult told;
};

// For a verification. A ledger that knows a run of these files makes it the run that they must be of: files of another one are findings
// then. Throws RefusedError if it knows nothing of them, EnvironmentError if it cannot be asked.
[[nodiscard]] LeftPromises promises_of(PromiseKeeper& keeper, FoundFiles& found);

// For a run that goes on, or a repair: a ledger that knows nothing is no hindrance, one of another run is (RefusedError).
[[nodiscard]] LeftPromises promises_to_go_on_with(PromiseKeeper& keeper, const FoundFiles& found);

// Completes what is told with what the analysis of the log has found.
[[nodiscard]] PromisesResult told_of(const LeftPromises& left, const Promises* demanded);

}  // namespace sim
