#include "sim/log/log_auditor.hpp"

#include <optional>
#include <set>
#include <vector>

#include "tests/sim/support/log_work.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using namespace sim::testing;
using sim::FindingKind;

namespace {

std::vector<std::byte> bytes_of(const Rig& rig, const ParsedBlock& block) {
    return peek(rig.log_path(), block.offset_bytes, block.size_bytes);
}

// The sequence numbers of the blocks that were passed on.
class TakenBlocks final : public sim::LogAuditor::BlockSink {
public:
    void take(const std::byte* block, std::uint32_t /*size_bytes*/) override { numbers.push_back(sim::read_block_header(block).sequence); }
    ums::Task<bool> has_taken() override { co_return true; }

    std::vector<std::uint64_t> numbers;
};

// Writes `count` blocks of one size, calls `damage(rig, blocks)` on the file, and audits.
template <typename Damage>
std::vector<sim::Finding> findings_after_log_damage(std::uint32_t count, Damage damage) {
    Rig rig({.log_mb = 4});
    rig.run([&](Rig& r) -> ums::Task<void> {
        for (std::uint32_t i = 0; i < count; ++i) co_await log_change(r, 5000);
        damage(r, blocks_on_disk(r));
        co_await audit_log(r);
    });
    return rig.sink.findings();
}

}  // namespace

TEST_CASE("a sound log gives no finding, and is read completely") {
    for (const std::uint32_t alignment_bytes : {512U, 4096U}) {
        Rig rig({.log_mb = 8, .log_alignment_bytes = alignment_bytes});
        rig.run([&](Rig& r) -> ums::Task<void> {
            const auto first = co_await audit_log(r);
            CHECK(first == 0);  // nothing has been written yet
            std::uint64_t size_bytes = 40;
            for (int i = 0; i < 150; ++i) {
                size_bytes = (size_bytes * 7 + 1001) % 70'000;
                co_await log_change(r, size_bytes);
            }
            std::uint64_t written_bytes = 0;
            for (const ParsedBlock& block : blocks_on_disk(r)) written_bytes += block.size_bytes;
            const std::uint64_t read_bytes = co_await audit_log(r);
            CHECK(written_bytes > 3 << 20);
            CHECK(read_bytes >= written_bytes);
            // Blocks that extend beyond the end of a read are read again.
            CHECK(read_bytes < written_bytes + 10 * sim::kLogBlockBytesMax);
        });
        CHECK(rig.sink.findings().empty());
        CHECK(rig.sink.events().empty());
    }
}

TEST_CASE("a sound log gives no finding after several laps of the ring, with old blocks after the new ones") {
    const std::uint64_t seed = ums::testing::test_seed("a sound log after several rounds");
    Rig rig({.log_mb = 1});
    rig.run([&](Rig& r) -> ums::Task<void> {
        ums::Prng prng(seed);
        for (int i = 0; i < 200; ++i) {
            co_await log_change(r, prng.between(32, 40'000));
            if (prng.chance(1500)) r.log->truncate(r.log->end_lsn());
            if (r.log->space().checkpoint_wanted().is_set()) {
                r.log->truncate(r.log->end_lsn());
                r.log->space().checkpoint_wanted().reset();
            }
            if (i % 20 == 0) co_await audit_log(r);
        }
        co_await audit_log(r);
    });
    CHECK(rig.sink.findings().empty());
}

TEST_CASE("a flipped bit anywhere in a block is found, with its offset") {
    for (const std::size_t offset : {0U, 4U, 12U, 16U, 24U, 40U, 44U, 63U, 64U, 100U, 5063U, 5100U, 5119U}) {
        ParsedBlock hit;
        const auto findings = findings_after_log_damage(20, [&](Rig& rig, const std::vector<ParsedBlock>& blocks) {
            hit = blocks.at(7);
            REQUIRE(offset < hit.size_bytes);
            flip_bits(rig.log_path(), hit.offset_bytes + offset, std::byte{0x20});
        });
        CAPTURE(offset);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].kind == FindingKind::log_block_damaged);
        CHECK(findings[0].place.offset_bytes == hit.offset_bytes);
        CHECK(findings[0].place.file_id == 2);
        CHECK(findings[0].description == "Log block 8 is damaged: its checksum is wrong.");
        const sim::ReceivedIdentity& received = or_empty(findings[0].received);
        const bool is_behind_header = offset >= 100;
        if (is_behind_header) CHECK((received.calculated_checksum != 0 && received.calculated_checksum != received.checksum));
        CHECK(findings[0].evidence.image.size() >= 512);
    }
}

TEST_CASE("a block that reads as zeros is reported as never written") {
    const auto findings = findings_after_log_damage(20, [&](Rig& rig, const std::vector<ParsedBlock>& blocks) {
        poke(rig.log_path(), blocks.at(3).offset_bytes, std::vector<std::byte>(blocks[3].size_bytes));
    });
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::log_gap);
    CHECK(findings[0].description == "Log block 4 was written and acknowledged, but zeros came back.");
}

TEST_CASE("a lost last block is found, too") {
    const auto findings = findings_after_log_damage(20, [&](Rig& rig, const std::vector<ParsedBlock>& blocks) {
        REQUIRE(blocks.size() == 20);
        poke(rig.log_path(), blocks.back().offset_bytes, std::vector<std::byte>(blocks.back().size_bytes));
    });
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::log_gap);
}

TEST_CASE("two blocks that were swapped are found") {
    const auto findings = findings_after_log_damage(20, [&](Rig& rig, const std::vector<ParsedBlock>& blocks) {
        const auto first = bytes_of(rig, blocks.at(5));
        const auto second = bytes_of(rig, blocks.at(9));
        REQUIRE(first.size() == second.size());
        poke(rig.log_path(), blocks[5].offset_bytes, second);
        poke(rig.log_path(), blocks[9].offset_bytes, first);
    });
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::log_gap);
    CHECK(findings[0].description == "Log block 6 was written and acknowledged, but block 10 came back.");
    CHECK(findings[1].kind == FindingKind::log_stale_block);
    CHECK(findings[1].description == "Log block 10 was written and acknowledged, but block 6 came back.");
}

TEST_CASE("an old block in the place of a new one is reported as an old version") {
    const auto findings = findings_after_log_damage(20, [&](Rig& rig, const std::vector<ParsedBlock>& blocks) {
        poke(rig.log_path(), blocks.at(9).offset_bytes, bytes_of(rig, blocks.at(5)));
    });
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::log_stale_block);
    CHECK(findings[0].description == "Log block 10 was written and acknowledged, but block 6 came back.");
}

TEST_CASE("the previous lap's block that a lost write leaves behind is reported as an old version") {
    Rig rig({.log_mb = 1});
    rig.run([](Rig& r) -> ums::Task<void> {
        std::vector<std::byte> old_block;
        std::uint64_t offset_bytes = 0;
        // All blocks have the same size, so those of the second lap replace those of the first.
        for (int i = 0; i < 60; ++i) {
            co_await log_change(r, 20'000);
            if (i == 1) {
                const ParsedBlock second = blocks_on_disk(r).at(1);
                old_block = bytes_of(r, second);
                offset_bytes = second.offset_bytes;
            }
            r.log->truncate(r.log->end_lsn());
        }
        while (r.log->used_vlfs().at(0).offset_bytes != sim::kPageBytes || blocks_on_disk(r).at(1).sequence <= 2) {
            co_await log_change(r, 20'000);
            r.log->truncate(r.log->end_lsn());
        }
        co_await log_change(r, 20'000);
        co_await log_change(r, 20'000);
        poke(r.log_path(), offset_bytes, old_block);
        co_await audit_log(r);
    });
    REQUIRE(rig.sink.findings().size() == 1);
    CHECK(rig.sink.findings()[0].kind == FindingKind::log_stale_block);
}

TEST_CASE("a sound block of another run, and one that was replaced by a lookalike, are found") {
    const auto findings = findings_after_log_damage(20, [&](Rig& rig, const std::vector<ParsedBlock>& blocks) {
        auto bytes = bytes_of(rig, blocks.at(2));
        bytes[16] ^= std::byte{1};  // the run id
        const std::uint32_t checksum = plain_crc32c(bytes.data() + 4, bytes.size() - 4);
        std::memcpy(bytes.data(), &checksum, sizeof checksum);
        poke(rig.log_path(), blocks[2].offset_bytes, bytes);
    });
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::log_stale_block);
    CHECK_THAT(findings[0].description, ContainsSubstring("of another run"));

    // Consistent in itself, but not what was written: only the digest shows it.
    const auto forged = findings_after_log_damage(20, [&](Rig& rig, const std::vector<ParsedBlock>& blocks) {
        auto bytes = bytes_of(rig, blocks.at(2));
        bytes[200] ^= std::byte{1};
        const std::uint32_t checksum = plain_crc32c(bytes.data() + 4, bytes.size() - 4);
        std::memcpy(bytes.data(), &checksum, sizeof checksum);
        poke(rig.log_path(), blocks[2].offset_bytes, bytes);
    });
    REQUIRE(forged.size() == 1);
    CHECK(forged[0].kind == FindingKind::log_block_damaged);
    CHECK_THAT(forged[0].description, ContainsSubstring("at least one of them is not the block that was written. Which one is not known"));
    // The place is the whole VLF, and there is no image, because it is not known which block it is.
    CHECK(forged[0].evidence.image.empty());
    CHECK(or_empty(forged[0].received).checksum == 0);
    CHECK(forged[0].place.size_bytes > 10 * 512);
    for (const std::string& sentence : forged[0].reasoning) CHECK_THAT(sentence, !ContainsSubstring("must hold block"));
}

TEST_CASE("several faults in one part of the log are found separately, each with its extent") {
    std::vector<ParsedBlock> all;
    const auto findings = findings_after_log_damage(20, [&](Rig& rig, const std::vector<ParsedBlock>& blocks) {
        all = blocks;
        flip_bits(rig.log_path(), blocks.at(3).offset_bytes + 700, std::byte{1});
        poke(rig.log_path(), blocks.at(8).offset_bytes, std::vector<std::byte>(blocks[8].size_bytes + blocks.at(9).size_bytes));
        poke(rig.log_path(), blocks.at(15).offset_bytes, bytes_of(rig, blocks.at(5)));
    });
    REQUIRE(findings.size() == 3);
    CHECK(findings[0].kind == FindingKind::log_block_damaged);
    CHECK(findings[0].place.size_bytes == all[3].size_bytes);
    CHECK(findings[1].kind == FindingKind::log_gap);
    CHECK(findings[1].place.offset_bytes == all[8].offset_bytes);
    CHECK(findings[1].place.size_bytes == all[8].size_bytes + all[9].size_bytes);
    CHECK(findings[2].kind == FindingKind::log_stale_block);
    for (const sim::Finding& finding : findings) {
        CHECK_FALSE(finding.transient);
        CHECK(finding.rereads.size() == 15);
    }
}

TEST_CASE("a persistent fault is reported by the first audit only") {
    Rig rig({.log_mb = 4});
    rig.run([](Rig& r) -> ums::Task<void> {
        for (int i = 0; i < 20; ++i) co_await log_change(r, 5000);
        flip_bits(r.log_path(), blocks_on_disk(r).at(7).offset_bytes + 900, std::byte{1});
        sim::LogAuditor auditor(*r.log, r.data_files, r.state, r.journal);
        co_await auditor.audit();
        CHECK(r.sink.findings().size() == 1);
        flip_bits(r.log_path(), blocks_on_disk(r).at(11).offset_bytes + 900, std::byte{1});
        co_await auditor.audit();
    });
    CHECK(rig.sink.findings().size() == 2);
}

TEST_CASE("a log block that is wrong once is a transient finding, and the audit goes on") {
    Rig rig({.log_mb = 4});
    rig.run([](Rig& r) -> ums::Task<void> {
        for (int i = 0; i < 20; ++i) co_await log_change(r, 5000);
        const ParsedBlock block = blocks_on_disk(r).at(7);
        const std::vector<std::byte> right = bytes_of(r, block);
        flip_bits(r.log_path(), block.offset_bytes + 900, std::byte{1});
        bool is_first = true;
        r.storage.set_rule([&, is_first](const ums::IoRequest&) mutable {
            if (!std::exchange(is_first, false)) poke(r.log_path(), block.offset_bytes, right);
            return Fate{};
        });
        co_await audit_log(r);
    });
    REQUIRE(rig.sink.findings().size() == 1);
    CHECK(rig.sink.findings()[0].kind == FindingKind::log_block_damaged);
    CHECK(rig.sink.findings()[0].transient);
    CHECK(rig.sink.findings()[0].rereads.size() == 1);
}

TEST_CASE("a block that comes back right only when it is read alone is reported once, and the audit goes on after it") {
    Rig rig({.log_mb = 4});
    rig.run([](Rig& r) -> ums::Task<void> {
        for (int i = 0; i < 20; ++i) co_await log_change(r, 5000);
        std::optional<std::uint64_t> wrong_bytes;
        int count = 0;
        r.storage.set_rule([&](const ums::IoRequest& request) {
            if (wrong_bytes) flip_bits(r.log_path(), *wrong_bytes, std::byte{1});
            wrong_bytes.reset();
            if (request.operation != ums::IoOperation::read || request.size_bytes <= sim::kLogBlockBytesMax || ++count > 100) return Fate{};
            wrong_bytes = request.offset_bytes + 100;
            flip_bits(r.log_path(), *wrong_bytes, std::byte{1});
            return Fate{};
        });
        co_await audit_log(r);
        r.storage.set_rule(nullptr);
    });
    const std::vector<sim::Finding> findings = rig.sink.findings();
    std::set<std::uint64_t> places;
    for (const sim::Finding& finding : findings) {
        CHECK(finding.kind == FindingKind::log_block_damaged);
        CHECK(finding.transient);
        places.insert(finding.place.offset_bytes);
    }
    CHECK(findings.size() >= 2);
    CHECK(findings.size() <= 20);
    CHECK(places.size() == findings.size());
}

TEST_CASE("a part of the log is read once, up to its end, even if a block was wrong once and the log has grown since") {
    Rig rig({.log_mb = 4});
    TakenBlocks taken;
    rig.run([&](Rig& r) -> ums::Task<void> {
        for (int i = 0; i < 10; ++i) co_await log_change(r, 5000);
        const std::uint64_t end_bytes = r.log->mark().at_bytes;
        for (int i = 0; i < 10; ++i) co_await log_change(r, 5000);
        const ParsedBlock block = blocks_on_disk(r).at(7);
        const std::vector<std::byte> right = bytes_of(r, block);
        flip_bits(r.log_path(), block.offset_bytes + 900, std::byte{1});
        r.storage.set_rule([&, is_first = true](const ums::IoRequest&) mutable {
            if (!std::exchange(is_first, false)) poke(r.log_path(), block.offset_bytes, right);
            return Fate{};
        });
        sim::VirtualLogFile part = r.log->used_vlfs().at(0);
        part.end_bytes = end_bytes;
        sim::LogAuditor auditor(*r.log, r.data_files, r.state, r.journal);
        const bool is_whole = co_await auditor.read_blocks(part, 0, part.first_block, ums::WaitType::backupio, taken);
        CHECK(is_whole);
    });
    CHECK(taken.numbers == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    REQUIRE(rig.sink.findings().size() == 1);
    CHECK(rig.sink.findings()[0].transient);
    CHECK(rig.sink.findings()[0].description == "Log block 8 is damaged: its checksum is wrong. A backup read it.");
}

TEST_CASE("a log that ends before changes found in the data files is a write-ahead violation") {
    for (const bool pages_are_written : {true, false}) {
        Rig rig({.log_mb = 4});
        rig.run([&](Rig& r) -> ums::Task<void> {
            for (int i = 0; i < 5; ++i) co_await log_change(r, 5000);
            const std::size_t before = blocks_on_disk(r).size();
            if (pages_are_written) {
                co_await r.write_pages(r.data(), 10, 4);
            } else {
                co_await log_change(r, 5000);
            }
            const std::vector<ParsedBlock> blocks = blocks_on_disk(r);
            REQUIRE(blocks.size() > before);
            for (std::size_t i = before; i < blocks.size(); ++i) {
                poke(r.log_path(), blocks[i].offset_bytes, std::vector<std::byte>(blocks[i].size_bytes));
            }
            co_await audit_log(r);
        });
        REQUIRE(rig.sink.findings().size() == 1);
        CHECK(rig.sink.findings()[0].kind == (pages_are_written ? FindingKind::wal_violation : FindingKind::log_gap));
    }
}

TEST_CASE("a log file that cannot be read is one finding of its own kind") {
    Rig rig({.log_mb = 4});
    rig.run([](Rig& r) -> ums::Task<void> {
        for (int i = 0; i < 3; ++i) co_await log_change(r, 5000);
        // Not the first page, so that the storage as a whole still works.
        r.storage.set_rule([](const ums::IoRequest& request) {
            const bool hit = request.operation == ums::IoOperation::read && request.offset_bytes == sim::kPageBytes;
            return Fate{.error = hit ? EIO : 0};
        });
        co_await audit_log(r);
    });
    REQUIRE(rig.sink.findings().size() == 1);
    CHECK(rig.sink.findings()[0].kind == FindingKind::io_error);
}
