// The ring of virtual log files over all log files: which part of the log is where, what can be reused, and a digest of what was written
// into each, so that the log can be audited. Not thread-safe: the log manager guards it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/files/sim_file.hpp"

namespace sim {

struct VirtualLogFile {
    SimFile* file = nullptr;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;

    std::uint32_t sequence = 0;     // 0 = free
    std::uint64_t end_bytes = 0;    // where the next block goes, within the VLF
    std::uint64_t first_block = 0;  // sequence of its first block, 0 = none yet
    std::uint64_t block_count = 0;  // acknowledged
    std::uint64_t digest = 0;       // sum over acknowledged blocks of block_digest()
};

// Combines a block's place in the log with its checksum; sums of it do not depend on the order of completion.
[[nodiscard]] std::uint64_t block_digest(std::uint64_t block_sequence, std::uint32_t checksum);

class VirtualLogFiles {
public:
    // Divides every file behind its signature page: 4 VLFs below 64 MB, 8 up to 1 GB, 16 above (as SQL Server does), more where one would
    // be longer than kVlfBytesMax. `alignment_bytes` is the sector size.
    VirtualLogFiles(const std::vector<SimFile*>& files, std::uint32_t alignment_bytes);

    // A grown part of a file becomes one more VLF.
    void add(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes);

    [[nodiscard]] VirtualLogFile& current() { return vlfs_[current_]; }
    [[nodiscard]] std::uint32_t current_index() const { return current_; }
    [[nodiscard]] VirtualLogFile& operator[](std::uint32_t index) { return vlfs_[index]; }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(vlfs_.size()); }

    // Begins the next free VLF behind the current one. There must be one (asserted): reservations see to that.
    void advance();
    // Frees every VLF that was begun before `sequence`.
    void truncate(std::uint32_t sequence);

    // Bytes that blocks can still use, the rest of the current VLF included.
    [[nodiscard]] std::uint64_t free_bytes() const;
    [[nodiscard]] std::uint32_t free_count() const { return free_count_; }
    [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }

private:
    void begin(std::uint32_t index);

    std::uint32_t alignment_bytes_;
    std::vector<VirtualLogFile> vlfs_;
    std::uint32_t current_ = 0;
    std::uint32_t last_sequence_ = 0;
    std::uint32_t free_count_ = 0;
    std::uint64_t free_vlf_bytes_ = 0;
    std::uint64_t total_bytes_ = 0;
};

}  // namespace sim
