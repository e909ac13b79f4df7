// Reads the log files as recovery finds them. After a damaged block others may follow, so it looks at every place where a block of the run
// can begin. Two passes: the first finds the blocks, the second passes on their records in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/files/sim_file.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/verify/log_extent.hpp"

namespace sim {

// A disk with 4 KB sectors must be read at multiples of 4 KB; blocks may be in smaller units.
inline constexpr std::uint64_t kReadAlignmentBytes = 4096;

class LogScan {
public:
    // The log files and the other references must outlive the scan. Used by one task at a time.
    LogScan(const std::vector<SimFile*>& files, std::uint64_t run_id, RunState& run, Journal& journal)
        : files_(files), run_id_(run_id), run_(run), journal_(journal) {}

    // Finds the blocks of the run in all files. Reports what cannot be read, and skips exactly that.
    ums::Task<void> find_blocks(LogContents& contents);
    // Adds a block that only a later read returned. False if it cannot be one of this log: then nothing is added.
    [[nodiscard]] bool add_late_block(LogContents& contents, const SimFile& file, std::uint64_t offset_bytes, const std::byte* block);

    // Calls `take` with each record of `blocks`, in order. A block that no longer comes back as it was found is read again, and reported.
    using Take = std::function<void(const LogRecordHeader& header, std::span<const std::byte> body)>;
    ums::Task<void> replay(std::span<const LogBlockPlace> blocks, const Take& take);
    // Some records could not be passed on: what follows from them is unknown.
    [[nodiscard]] bool is_incomplete() const { return is_incomplete_; }
    // Whether some of the log could not be read: in this range, or anywhere.
    [[nodiscard]] bool is_unreadable(const SimFile& file, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    [[nodiscard]] bool has_unreadable() const { return !unreadable_.empty(); }

    // The format of blocks of the run that another version of the program wrote, which cannot be read here; 0: there are none.
    [[nodiscard]] std::uint16_t other_format() const { return other_format_; }
    [[nodiscard]] double done_fraction() const;

private:
    [[nodiscard]] ExpectedBlock expected_of(const LogBlockPlace& place) const;
    ums::Task<bool> read_again(const LogBlockPlace& place, std::byte* block);
    ums::Task<void> find_blocks_of(SimFile& file, LogContents& contents);
    struct Window {
        std::uint64_t offset_bytes = 0;  // in the file
        std::uint64_t size_bytes = 0;
        std::uint64_t taken_bytes = 0;
        bool is_end = false;
    };
    ums::Task<void> read_window(SimFile& file, const Window& window, std::byte* bytes);
    struct Piece {  // of a window that could not be read at once
        std::uint64_t offset_bytes = 0;
        std::span<std::byte> bytes;
        bool is_reported = false;
        bool has_come = false;
    };
    ums::Task<bool> read_pieces(SimFile& file, std::uint64_t offset_bytes, std::span<std::byte> bytes);
    ums::Task<void> try_piece(SimFile& file, Piece& piece);
    ums::Task<void> retry_piece(SimFile& file, Piece& piece);
    ums::Task<void> give_up(SimFile& file, const Piece& piece);
    [[nodiscard]] bool is_known_unreadable(const SimFile& file, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    void take_window(const SimFile& file, Window& window, const std::byte* bytes, LogContents& contents);
    bool add_block(LogContents& contents, const SimFile& file, std::uint64_t offset_bytes, const std::byte* block);
    [[nodiscard]] bool is_of_run(const std::byte* block) const;
    [[nodiscard]] SimFile* file_of(std::uint32_t file_id) const;

    const std::vector<SimFile*> files_;
    const std::uint64_t run_id_;
    RunState& run_;
    Journal& journal_;
    struct Range {
        const SimFile* file = nullptr;
        std::uint64_t offset_bytes = 0;
        std::uint64_t size_bytes = 0;
    };
    std::vector<Range> unreadable_;
    std::uint16_t other_format_ = 0;
    bool is_incomplete_ = false;
    std::atomic<std::uint64_t> done_bytes_{0};
};

}  // namespace sim
