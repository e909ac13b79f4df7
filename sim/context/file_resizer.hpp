// Grows and shrinks a data file during the run: pages that are cut off are read once more (DBCC SHRINKFILE reads them to move them), then
// all other tasks are kept off the file, and pool and ledger forget the pages. New pages must read as zeros.
//
// The log must never promise more pages than a crash leaves: a cut is hardened in the log before it is made; a growth is made durable
// before the log records it, and used only once that is hardened.
#pragma once

#include <cstdint>
#include <system_error>

#include "sim/context/run_context.hpp"

namespace sim {

class FileResizer {
public:
    explicit FileResizer(RunContext& context) : context_(context) {}

    // Resizes the file to `size_bytes`, a multiple of the page size within the file's maximum. A refusal by the system (no space) is a
    // warning: the file stays as it is. Hold no latch.
    ums::Task<void> resize(DataFile& data, std::uint64_t size_bytes);

private:
    ums::Task<void> read_last_time(DataFile& data, std::uint32_t begin_page, std::uint32_t end_page);
    ums::Task<std::error_code> cut(DataFile& data, std::uint32_t pages, LogReservation& reservation);
    ums::Task<std::error_code> grow(DataFile& data, std::uint32_t pages, LogReservation& reservation);
    ums::Task<std::uint64_t> log_size(DataFile& data, std::uint32_t pages, LogReservation& reservation,
                                      const PageSums::File* before_cut = nullptr);
    ums::Task<std::error_code> sync(SimFile& file);
    void tell(const SimFile& file, std::uint64_t old_bytes, std::uint64_t new_bytes, std::error_code error);
    ums::Task<void> copy_to_snapshot(DataFile& data, std::uint32_t begin_page, std::uint32_t end_page);

    RunContext& context_;
};

}  // namespace sim
