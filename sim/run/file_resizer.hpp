// Grows and shrinks a data file while the run goes on: everybody else is kept off the file, pages that fall away are forgotten by the pool and
// by the ledger, pages that come must read as zeros.
#pragma once

#include <cstdint>

#include "sim/run/run_context.hpp"

namespace sim {

class FileResizer {
public:
    explicit FileResizer(RunContext& context) : context_(context) {}

    // To `size_bytes`, a multiple of the page size within the file's maximum. A refusal by the system (no space) is a warning: the file stays
    // as it is. Hold no latch.
    ums::Task<void> resize(DataFile& data, std::uint64_t size_bytes);

private:
    RunContext& context_;
};

}  // namespace sim
