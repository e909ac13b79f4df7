// The log that a backup chain holds, as an observer of its writes sees it: every block must be sound and the next in sequence. Knows the
// formats, but nothing of the program that writes them. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/page/log_layout.hpp"

namespace sim {

class CopiedLog {
public:
    // `has_log_backups`: then the log of a chain goes on from each backup to the next; otherwise what was logged between two is not kept.
    explicit CopiedLog(bool has_log_backups) : has_log_backups_(has_log_backups) {}

    // A sound chunk has been written; it may be a repeated write.
    void chunk_written(std::span<const std::byte> chunk);

    // A backup was completed although a block of its log is damaged, belongs to another run, or is out of sequence.
    [[nodiscard]] bool has_wrong_copy() const { return has_wrong_copy_; }

private:
    void begin_chain(std::uint64_t chain_number);
    void begin_set(std::span<const std::byte> body);
    void take_blocks(std::span<const std::byte> blocks, std::uint64_t run_id);
    [[nodiscard]] bool is_next(const LogBlockHeader& header, std::span<const std::byte> bytes, std::uint64_t run_id);

    const bool has_log_backups_;
    std::uint64_t chain_number_ = 0;
    std::uint64_t last_chunk_ = 0;
    std::uint64_t last_block_ = 0;  // 0: any may follow
    bool is_wrong_ = false;         // the log of this chain, so far
    bool has_wrong_copy_ = false;
};

}  // namespace sim
