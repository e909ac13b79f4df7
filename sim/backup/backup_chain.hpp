// The chain of a backup: a file of chunks (backup_format.hpp) that are appended one after the other and read back in that order. What each
// must be is kept in memory, so the disk need not be trusted about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/backup/backup_format.hpp"
#include "sim/files/rereader.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/finding.hpp"
#include "sim/log/page_sums.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/semaphore.hpp"

namespace sim {

// What must be remembered about one backup of a chain: its place in the chain, and what the run knew when the backup ended. Where its pages
// are is read from the chain.
struct BackupSet {
    BackupKind kind{};
    std::uint32_t number = 0;  // in its chain, from 1
    std::uint32_t first_chunk = 0;
    std::uint32_t end_chunk = 0;
    std::uint64_t last_lsn = 0;           // to which a restore brings all pages
    PageSums sums{};                      // of the pages at that LSN; only of the newest backup
    std::vector<std::uint64_t> shrunk{};  // by source: how often the file had been cut before the log of the backup begins, or less
};

// Adds a complete backup to those of its chain. The one before loses its sums: a restore compares with the newest ones, and in a chain of
// days they would fill the memory.
void add_to_chain(std::vector<BackupSet>& sets, BackupSet set);

class BackupChain {
public:
    // `chunk_bytes_max`: the largest request. The references must outlive the chain.
    BackupChain(SimFile& file, std::uint64_t run_id, std::uint64_t chunk_bytes_max, RunState& run, Journal& journal);

    [[nodiscard]] SimFile& file() { return file_; }
    // The largest body that fits into a chunk.
    [[nodiscard]] std::uint64_t body_bytes_max() const { return chunk_bytes_max_ - sizeof(ChunkHeader); }
    [[nodiscard]] std::uint32_t chunk_count() const { return static_cast<std::uint32_t>(chunks_.size()); }

    // Begins a new chain: nothing is left of the previous one. False if there is no room, or the storage refuses; a warning says so.
    ums::Task<bool> begin(std::uint64_t chain_number);
    // One task at a time. False if the run stops, or if there is no room, which is a warning.
    ums::Task<bool> append(ChunkKind kind, std::uint32_t set_number, std::span<const std::byte> body);
    // Gives the disk back the room that no chunk has taken yet: another file needs it. True if there was some. No other task may append
    // meanwhile.
    ums::Task<bool> give_back_room();

    using Take = std::function<void(const ChunkHeader& header, std::span<const std::byte> body)>;
    // Reads chunks [begin, end) and hands over those that are as appended. False if one of them is not, which has been reported once, or
    // the run stops. One task at a time; another one of the same scheduler may append meanwhile.
    ums::Task<bool> read(std::uint32_t begin, std::uint32_t end, const Take& take);

private:
    struct Chunk {
        std::uint64_t offset_bytes = 0;
        std::uint32_t size_bytes = 0;
        std::uint32_t checksum = 0;
        bool is_unknown = false;  // could not be written or read, or was found to be wrong
    };

    // What is in the place of a chunk instead of it.
    struct Fault {
        FindingKind kind{};
        std::string text;  // "zeros came back"
    };

    ums::Task<bool> make_room(std::uint64_t end_bytes);
    [[nodiscard]] Fault fault_of(std::uint32_t index, const std::byte* bytes) const;
    [[nodiscard]] bool matches(const Chunk& chunk, const std::byte* bytes) const;
    ums::Task<bool> diagnose(std::uint32_t index, std::byte* bytes);

    SimFile& file_;
    const std::uint64_t run_id_;
    const std::uint64_t chunk_bytes_max_;
    RunState& run_;
    Journal& journal_;
    const ums::MemoryRegion write_memory_;
    const ums::MemoryRegion read_memory_;
    std::uint64_t chain_number_ = 0;
    std::uint64_t end_bytes_ = kPageBytes;
    std::uint64_t step_bytes_ = kPageBytes;  // by which the file grows
    std::deque<Chunk> chunks_;               // what is appended leaves the others in their place
};

}  // namespace sim
