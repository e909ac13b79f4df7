// What a ledger or witness had recorded about the files that a crash left.
#pragma once

#include <optional>

#include "sim/promises/promise_keeper.hpp"
#include "sim/results.hpp"
#include "sim/verify/left_files.hpp"

namespace sim {

struct LeftPromises {
    std::optional<Promises> promises;  // for the run of the files; nothing if none can be demanded
    PromisesResult told;
};

// For a verification. If the ledger knows a run of these files, they must belong to that run: files of an earlier one are then findings.
// Throws RefusedError if it knows nothing about them, or if a later run made them without it; EnvironmentError if it cannot be reached.
[[nodiscard]] LeftPromises promises_of(PromiseKeeper& keeper, FoundFiles& found);

// For a run that continues, or a repair: a ledger that knows nothing does not prevent it, but one of another run does (RefusedError).
[[nodiscard]] LeftPromises promises_to_go_on_with(PromiseKeeper& keeper, FoundFiles& found);

// Completes the report with what the analysis of the log has found.
[[nodiscard]] PromisesResult told_of(const LeftPromises& left, const Promises* demanded);

}  // namespace sim
