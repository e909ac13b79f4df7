// A data file and what its pages must contain.
#pragma once

#include <cstdint>
#include <utility>

#include "sim/files/sim_file.hpp"
#include "sim/ledger/page_ledger.hpp"

namespace sim {

struct DataFile {
    DataFile(SimFile::Setup setup, std::uint64_t pages_max, ums::Storage& storage, ums::Semaphore& outstanding, const RunState& run,
             Journal& journal)
        : file(std::move(setup), storage, outstanding, run, journal), ledger(pages_max) {}

    SimFile file;
    PageLedger ledger;
};

}  // namespace sim
