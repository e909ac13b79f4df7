// Overwrites ranges of pages, as bulk operations and the initial update do: no page is read first, the log gets only a record header for
// each, and the range is written immediately with gather writes instead of waiting for a checkpoint.
#pragma once

#include <cstdint>

#include "sim/context/run_context.hpp"

namespace sim {

// Owned by one task; reuses its vectors from call to call.
class BulkWriter {
public:
    BulkWriter(RunContext& context, WorkCounters& counters, std::uint64_t seed)
        : context_(context), counters_(counters), prng_(seed), writer_(context.make_writer(OnStop::abandon_with_users)) {}

    // Gives every page of the range a new version in memory and in the log. Returns the LSN, 0 if no page was there. Hold no latch.
    ums::Task<std::uint64_t> update(DataFile& data, std::uint32_t first_page, std::uint32_t count);

    // Writes what is dirty in the range.
    ums::Task<void> write(DataFile& data, std::uint32_t first_page, std::uint32_t count);

private:
    RunContext& context_;
    WorkCounters& counters_;
    ums::Prng prng_;
    PageWriter writer_;
};

}  // namespace sim
