// Reads the log back, block by block, and compares it with what the log manager knows it wrote: every block of every VLF in use must be
// there, in order, undamaged. What is wrong is read again, classified and reported; the audit continues after it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
    // `data_files`: those whose pages depend on the log.
    LogAuditor(LogManager& log, const std::vector<std::unique_ptr<DataFile>>& data_files, RunState& run, Journal& journal)
        : log_(log), data_files_(data_files), run_(run), journal_(journal) {}

    // Audits all VLFs in use. Nothing may be appended meanwhile. Returns the number of bytes read. What stays wrong is reported only by the
    // first audit that meets it.
    ums::Task<std::uint64_t> audit();

    class BlockSink {
    public:
        virtual ~BlockSink() = default;
        // A sound block of `size_bytes`, valid during the call.
        virtual void take(const std::byte* block, std::uint32_t size_bytes) = 0;
        // Some blocks have been taken. False: no more are wanted.
        virtual ums::Task<bool> has_taken() = 0;
    };
    // Reads the blocks from `begin_bytes` of the VLF to its `end_bytes`, and passes each sound one on. The first one has this sequence.
    // They must be hardened; what is appended after them does not matter. False if some of them are missing, which has been reported, if
    // the run stops, or if the sink wants no more.
    ums::Task<bool> read_blocks(const VirtualLogFile& vlf, std::uint64_t begin_bytes, std::uint64_t first_sequence, ums::WaitType wait_type,
                                BlockSink& sink);

private:
    // How far the audit of one VLF is.
    struct Position {
        VirtualLogFile vlf;
        std::uint64_t at_bytes = 0;  // within the VLF
        std::uint64_t sequence = 0;  // of the block that begins there
        std::uint64_t digest = 0;
        bool is_faulty = false;
        bool is_part = false;  // the log may continue after the VLF's end
        ums::WaitType wait_type = ums::WaitType::io_completion;
    };

    ums::Task<void> audit_vlf(const VirtualLogFile& vlf);
    ums::Task<bool> read(Position& position, BlockSink* sink);
    void take_blocks(Position& position, const std::byte* bytes, std::uint64_t size_bytes, std::optional<BlockFault>& fault,
                     BlockSink* sink) const;
    static std::uint32_t pass_over(Position& position, const std::byte* block, BlockSink* sink);
    ums::Task<void> diagnose(Position& position, BlockFault fault, const std::byte* image, std::uint64_t available_bytes, BlockSink* sink);
    ums::Task<bool> read_until_right(const Position& position, const std::vector<std::byte>& first, std::uint64_t size_bytes,
                                     Rereader& rereader, std::vector<Reread>& rereads);
    void name_what_follows(const Position& begin, const Position& end, bool is_end_of_log, BlockFault& fault) const;
    ums::Task<bool> skip_to_next_block(Position& position);
    ums::Task<bool> find_block(Position& position, std::uint64_t begin_bytes);
    ums::Task<bool> may_go_on_after(const VirtualLogFile& vlf);
    ums::Task<bool> may_have_blocks(const VirtualLogFile& vlf);
    ums::Task<bool> is_behind_all(Position& position);
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
    std::optional<std::uint32_t> last_vlf_with_blocks_;           // its sequence, once this audit has looked for it; 0: there is none
    std::set<std::pair<std::uint32_t, std::uint64_t>> reported_;  // VLF sequence and place of blocks that stay wrong
};

}  // namespace sim
