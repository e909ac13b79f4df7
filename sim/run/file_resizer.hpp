// Grows and shrinks a data file while the run goes on: pages that fall away are read once more (DBCC SHRINKFILE reads them to move them),
// then everybody else is kept off the file, and pool and ledger forget them. Pages that come must read as zeros.
#pragma once

#include <cstdint>

#include "sim/run/run_context.hpp"

namespace sim {

class FileResizer {
public:
    explicit FileResizer(RunContext& context) : context_(context) {}

    // To `size_bytes`, a multiple of the page size within the file's maximum. A refusal by the system (no space) is a warning: the file
    // stays as it is. Hold no latch.
    ums::Task<void> resize(DataFile& data, std::uint64_t size_bytes);

private:
    ums::Task<void> read_last_time(DataFile& data, std::uint32_t begin_page, std::uint32_t end_page);

    RunContext& context_;
};

}  // namespace sim
