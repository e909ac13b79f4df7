// Transfers ranges of pages between files and a backup's own memory, past the buffer pool, as BACKUP and RESTORE do: one request for each
// range. What is read is verified; what is written is entered into the ledger of its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/buffer/held_range.hpp"
#include "sim/buffer/page_checker.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"

namespace sim {

// Owned by one task.
class PageTransfers {
public:
    PageTransfers(std::uint64_t run_id, BufferPool& pool, PageChecker& checker, RunState& run, Journal& journal)
        : run_id_(run_id), checker_(checker), run_(run), journal_(journal), held_(pool) {}

    // Reads pages into `memory`, verifies them, and sets `entries` to what each page is, for as many as the file has. A page that cannot be
    // read is unknown there. False: the run stops, and nothing is known. Hold no latch.
    ums::Task<bool> read(DataFile& data, std::uint32_t first_page, std::uint32_t count, std::byte* memory,
                         std::vector<PageLedger::Entry>& entries);

    // Makes page images with the versions and LSNs of these entries and the identity of their place in `data`, and writes them: zeros where
    // there is no version. The file must have room. What is unknown stays unknown. False: the run stops. Hold no latch.
    ums::Task<bool> write(DataFile& data, std::uint32_t first_page, std::span<const PageLedger::Entry> entries, std::byte* memory);

private:
    ums::Task<bool> transfer_in(DataFile& data, std::uint32_t first_page, std::vector<PageLedger::Entry>& entries, std::byte* memory);
    ums::Task<bool> read_each(DataFile& data, std::uint32_t first_page, std::vector<PageLedger::Entry>& entries, std::byte* memory);
    ums::Task<bool> read_one(DataFile& data, std::uint32_t page, PageLedger::Entry& entry, std::byte* memory);
    ums::Task<bool> transfer_out(DataFile& data, std::uint32_t first_page, std::span<const PageLedger::Entry> entries, std::byte* memory);

    const std::uint64_t run_id_;
    PageChecker& checker_;
    RunState& run_;
    Journal& journal_;
    HeldRange held_;
    std::vector<std::uint32_t> checksums_;
    std::vector<ReadPage> wrong_;  // of the pages of the current range that have been read
};

}  // namespace sim
