// The ring of virtual log files over all log files: which part of the log is where, what can be reused, and a digest of what was written
// into each, for the audit. Not thread-safe: the log manager guards it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/files/sim_file.hpp"

namespace sim {

// An LSN has 32 bits for the number of a VLF. When the log has come this far, its run ends cleanly: what is under way still takes some.
inline constexpr std::uint32_t kVlfSequenceEnd = 0xfffe'0000;

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

// Combines a block's place in the log with its checksum; sums of digests do not depend on the order of completion.
[[nodiscard]] std::uint64_t block_digest(std::uint64_t block_sequence, std::uint32_t checksum);

// A part of a log file that is, or can become, a VLF.
struct VlfPlace {
    SimFile* file = nullptr;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const VlfPlace&, const VlfPlace&) = default;
};

// How a log file reached its size: it was created with `prepared_bytes`, then grew in steps of `growth_bytes` (0: it has not grown).
struct LogFileShape {
    SimFile* file = nullptr;
    std::uint64_t prepared_bytes = 0;
    std::uint64_t growth_bytes = 0;
    std::vector<std::uint32_t> growth_vlfs{};  // of each step (divide_growth); after the last one: 1
};

// Into how many VLFs a file created with this size is divided.
[[nodiscard]] std::uint64_t vlf_count_for(std::uint64_t size_bytes);

// Divides every file after its signature page: 4 VLFs below 64 MB, 8 up to 1 GB, 16 above (as SQL Server does), more if one would be longer
// than kVlfBytesMax; after them, each step of growth as the shape says. In the order of the ring: the files alternate. `alignment_bytes` is
// the sector size.
[[nodiscard]] std::vector<VlfPlace> divide_log(std::span<const LogFileShape> files, std::uint32_t alignment_bytes);

// Divides a step of growth into this many VLFs, or more if one would be longer than kVlfBytesMax. Each begins at a multiple of 1 MB, if the
// step does and has as many megabytes; the last one takes what is left.
[[nodiscard]] std::vector<VlfPlace> divide_growth(SimFile& file, std::uint64_t begin_bytes, std::uint64_t growth_bytes, std::uint32_t vlfs);

// The sector size of the log files: a disk with 4 KB sectors refuses shorter unbuffered transfers. Found by trying.
[[nodiscard]] std::uint32_t log_alignment_bytes(std::span<SimFile* const> files, ums::Storage& storage);

// A VLF that holds log of an earlier incarnation of the run, which recovery may still need.
struct UsedVlf {
    SimFile* file = nullptr;
    std::uint64_t offset_bytes = 0;
    std::uint32_t sequence = 0;
};

class VirtualLogFiles {
public:
    // The log of a new run, in files that have just been prepared.
    VirtualLogFiles(const std::vector<SimFile*>& files, std::uint32_t alignment_bytes);
    // The log of a run that continues: begins the first free VLF after the newest used one, which must exist (asserted), with a sequence
    // above `last_sequence`.
    VirtualLogFiles(std::span<const VlfPlace> places, std::span<const UsedVlf> used, std::uint32_t last_sequence,
                    std::uint32_t alignment_bytes);

    // A grown part of a file becomes one more VLF.
    void add(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes);

    [[nodiscard]] VirtualLogFile& current() { return vlfs_[current_]; }
    [[nodiscard]] std::uint32_t current_index() const { return current_; }
    [[nodiscard]] VirtualLogFile& operator[](std::uint32_t index) { return vlfs_[index]; }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(vlfs_.size()); }

    // Begins the next free VLF after the current one. There must be one (asserted): reservations ensure that.
    void advance();
    // Frees every VLF that was begun before `sequence`.
    void truncate(std::uint32_t sequence);

    // Bytes that blocks can still use, including the rest of the current VLF.
    [[nodiscard]] std::uint64_t free_bytes() const;
    [[nodiscard]] std::uint32_t free_count() const { return free_count_; }
    [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }

private:
    void add(const VlfPlace& place);
    void begin(std::uint32_t index);
    void take(std::uint32_t index, std::uint32_t sequence);

    std::uint32_t alignment_bytes_;
    std::vector<VirtualLogFile> vlfs_;
    std::uint32_t current_ = 0;
    std::uint32_t last_sequence_ = 0;
    std::uint32_t free_count_ = 0;
    std::uint64_t free_vlf_bytes_ = 0;
    std::uint64_t total_bytes_ = 0;
};

}  // namespace sim
