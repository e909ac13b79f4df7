// A data file and what its pages must contain.
#pragma once

#include <utility>

#include "sim/files/sim_file.hpp"
#include "sim/ledger/page_ledger.hpp"
#include "sim/ledger/unwritten_pages.hpp"
#include "sim/ledger/write_watch.hpp"

namespace sim {

class Snapshot;

struct DataFile {
    // The ledger has room for the file at its largest.
    DataFile(SimFile::Setup setup, PageLedger pages, const FileContext& context)
        : file(std::move(setup), context), ledger(std::move(pages)) {}

    SimFile file;
    PageLedger ledger;
    WriteWatch writes;
    Snapshot* snapshot = nullptr;  // what must be copied before a change; not owned
    UnwrittenPages unwritten;
    bool is_apart = false;  // a replica or a file of tempdb: users of the database keep off it, and changes are not logged
};

}  // namespace sim
