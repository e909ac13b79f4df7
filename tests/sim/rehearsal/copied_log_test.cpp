// The observer of backups must itself be able to reject one.
#include "sim/rehearsal/copied_log.hpp"

#include <cstring>
#include <vector>

#include "sim/backup/backup_format.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/log_layout.hpp"
#include "tests/support/catch.hpp"

using sim::ChunkKind;
using sim::CopiedLog;

namespace {

constexpr std::uint64_t kRunOfCopies = 77;
constexpr std::uint32_t kCopiedBlockBytes = 1024;

std::vector<std::byte> copied_block(std::uint64_t sequence, std::uint64_t run_id = kRunOfCopies) {
    std::vector<std::byte> block(kCopiedBlockBytes, std::byte{7});
    sim::LogBlockHeader header{};
    header.magic = sim::kLogMagic;
    header.size_bytes = kCopiedBlockBytes;
    header.run_id = run_id;
    header.sequence = sequence;
    std::memcpy(block.data(), &header, sizeof header);
    const std::uint32_t checksum = sim::crc32c(block.data() + 4, block.size() - 4);
    std::memcpy(block.data(), &checksum, sizeof checksum);
    return block;
}

// Writes a chain chunk by chunk.
class WrittenChain {
public:
    explicit WrittenChain(CopiedLog& log) : log_(log) {}

    void begin(sim::BackupKind kind) {
        const sim::SetBegin body{static_cast<std::uint32_t>(kind), 0, 1, 8};
        std::vector<std::byte> bytes(sizeof body);
        std::memcpy(bytes.data(), &body, sizeof body);
        add(ChunkKind::set_begin, bytes);
    }
    void end() { add(ChunkKind::set_end, std::vector<std::byte>(sizeof(sim::SetEnd))); }
    void log(const std::vector<std::byte>& block) { add(ChunkKind::log, block); }
    void blocks(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t sequence = first; sequence <= last; ++sequence) log(copied_block(sequence));
    }
    void try_again() { log_.chunk_written(last_); }

private:
    void add(ChunkKind kind, const std::vector<std::byte>& body) {
        sim::ChunkHeader header{};
        header.kind = static_cast<std::uint16_t>(kind);
        header.used_bytes = static_cast<std::uint32_t>(sizeof header + body.size());
        header.size_bytes = (header.used_bytes + 4095) / 4096 * 4096;
        header.run_id = kRunOfCopies;
        header.sequence = ++sequence_;
        header.chain_number = 1;
        last_.assign(header.size_bytes, std::byte{0});
        std::memcpy(last_.data() + sizeof header, body.data(), body.size());
        sim::finish_chunk(header, last_.data());
        log_.chunk_written(last_);
    }

    CopiedLog& log_;
    std::vector<std::byte> last_;
    std::uint64_t sequence_ = 0;
};

}  // namespace

TEST_CASE("a chain whose log continues without a gap holds what was written, even after a retried write") {
    CopiedLog log(true);
    WrittenChain chain(log);
    chain.begin(sim::BackupKind::full);
    chain.blocks(5, 9);
    chain.try_again();
    chain.end();
    chain.begin(sim::BackupKind::log);
    chain.blocks(10, 12);
    chain.end();
    chain.begin(sim::BackupKind::differential);
    chain.blocks(13, 14);
    chain.end();
    CHECK(!log.has_wrong_copy());
}

TEST_CASE("only without log backups may a chain lack the log between two backups") {
    for (const bool has_log_backups : {false, true}) {
        CopiedLog log(has_log_backups);
        WrittenChain chain(log);
        chain.begin(sim::BackupKind::full);
        chain.blocks(5, 9);
        chain.end();
        chain.begin(sim::BackupKind::differential);
        chain.blocks(40, 41);
        chain.end();
        CHECK(log.has_wrong_copy() == has_log_backups);
    }
}

TEST_CASE("a completed backup with a block that is damaged, foreign, duplicate or not the next one is a wrong copy") {
    std::vector<std::byte> damaged = copied_block(6);
    damaged[500] ^= std::byte{1};
    const std::vector<std::byte> zeros(kCopiedBlockBytes);
    for (const std::vector<std::byte>& block : {damaged, copied_block(6, 78), copied_block(5), copied_block(8), zeros}) {
        CopiedLog log(false);
        WrittenChain chain(log);
        chain.begin(sim::BackupKind::full);
        chain.blocks(3, 5);
        chain.log(block);
        CHECK(!log.has_wrong_copy());  // the backup may still be abandoned
        chain.end();
        CHECK(log.has_wrong_copy());
    }
}
