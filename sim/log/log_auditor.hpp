// Reads the log back, block by block, and compares it with what the log manager knows it wrote: every block of every VLF in use must be
// there, in order, undamaged. What is wrong is read again, named and reported; the audit goes on behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/files/data_file.hpp"
#include "sim/files/rereader.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/log/log_manager.hpp"

namespace sim {

class LogAuditor {
public:
    // `data_files`: whose pages depend on the log.
    LogAuditor(LogManager& log, const std::vector<std::unique_ptr<DataFile>>& data_files, RunState& run, Journal& journal)
        : log_(log), data_files_(data_files), run_(run), journal_(journal) {}

    // All VLFs in use. Nothing may be appended meanwhile. Returns the number of bytes read. What stays wrong is reported by the first audit
    // that meets it only.
    ums::Task<std::uint64_t> audit();

private:
    // Where the audit of one VLF stands.
    struct Position {
        const VirtualLogFile& vlf;
        std::uint64_t at_bytes = 0;  // within the VLF
        std::uint64_t sequence = 0;  // of the block that begins there
        std::uint64_t digest = 0;
        bool is_faulty = false;
    };

    ums::Task<void> audit_vlf(const VirtualLogFile& vlf);
    void take_blocks(Position& position, const std::byte* bytes, std::uint64_t size_bytes, std::optional<BlockFault>& fault) const;
    ums::Task<void> diagnose(Position& position, BlockFault fault, const std::byte* image, std::uint64_t available_bytes);
    ums::Task<void> skip_to_next_block(Position& position);
    [[nodiscard]] ExpectedBlock expected_at(const Position& position) const;
    [[nodiscard]] bool pages_depend_on(std::uint64_t lsn) const;
    void report_digest(const Position& end);
    void report(const Position& begin, std::uint64_t end_bytes, BlockFault fault, std::vector<Reread> rereads,
                const std::vector<std::byte>& image, bool transient);

    LogManager& log_;
    const std::vector<std::unique_ptr<DataFile>>& data_files_;
    RunState& run_;
    Journal& journal_;
    std::uint64_t bytes_read_ = 0;
    std::set<std::pair<std::uint32_t, std::uint64_t>> reported_;  // VLF sequence and place of blocks that stay wrong
};

}  // namespace sim
