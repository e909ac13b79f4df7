// What the audit of the log says of the place where it stops finding blocks.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/log/log_auditor.hpp"
#include "sim/page/log_layout.hpp"
#include "tests/sim/support/log_work.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::FindingKind;

TEST_CASE("a block that is missing at the end of a virtual log file is a gap if the log goes on in the next one") {
    const bool goes_on = GENERATE(true, false);
    Rig rig({.log_mb = 1});
    rig.run([goes_on](Rig& r) -> ums::Task<void> {
        while (r.log->used_vlfs().size() < 2) co_await log_change(r, 20'000);
        co_await r.write_pages(r.data(), 10, 4);
        std::vector<sim::VirtualLogFile> vlfs = r.log->used_vlfs();
        std::sort(vlfs.begin(), vlfs.end(), [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
        const std::uint64_t last = vlfs.at(0).first_block + vlfs[0].block_count - 1;
        for (const ParsedBlock& block : blocks_on_disk(r)) {
            const bool is_missing = goes_on ? block.sequence == last : block.sequence >= last;
            if (is_missing) poke(r.log_path(), block.offset_bytes, std::vector<std::byte>(block.size_bytes));
        }
        co_await audit_log(r);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == (goes_on ? 1U : 2U));
    CHECK(findings[0].kind == (goes_on ? FindingKind::log_gap : FindingKind::wal_violation));
    CHECK(sim::vlf_of_lsn(findings[0].expected.value().lsn) == 1);
}

TEST_CASE("the log goes on in the next virtual log file even if the first block there is missing, too") {
    Rig rig({.log_mb = 1});
    rig.run([](Rig& r) -> ums::Task<void> {
        while (r.log->used_vlfs().size() < 2) co_await log_change(r, 20'000);
        co_await r.write_pages(r.data(), 10, 4);
        const std::vector<sim::VirtualLogFile> vlfs = r.log->used_vlfs();
        const std::uint64_t next = std::max(vlfs.at(0).first_block, vlfs.at(1).first_block);
        const std::vector<ParsedBlock> blocks = blocks_on_disk(r);
        REQUIRE(blocks.back().sequence > next);
        for (const ParsedBlock& block : blocks) {
            const bool is_missing = block.sequence == next - 1 || block.sequence == next;
            if (is_missing) poke(r.log_path(), block.offset_bytes, std::vector<std::byte>(block.size_bytes));
        }
        co_await audit_log(r);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    for (const sim::Finding& finding : findings) CHECK(finding.kind == FindingKind::log_gap);
}

TEST_CASE("what cannot be read after a wrong block is not called wrong, too") {
    Rig rig({.log_mb = 4});
    std::uint64_t wrong_bytes = 0;
    rig.run([&](Rig& r) -> ums::Task<void> {
        for (int i = 0; i < 20; ++i) co_await log_change(r, 5000);
        wrong_bytes = blocks_on_disk(r).at(3).offset_bytes;
        flip_bits(r.log_path(), wrong_bytes + 700, std::byte{1});
        // The search for the next block begins one unit later.
        r.storage.set_rule([&](const ums::IoRequest& request) {
            const bool hit = request.operation == ums::IoOperation::read && request.offset_bytes == wrong_bytes + 512;
            return Fate{.error = hit ? EIO : 0};
        });
        co_await audit_log(r);
        r.storage.set_rule(nullptr);
    });
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::io_error);
    CHECK(findings[1].kind == FindingKind::log_block_damaged);
    CHECK(findings[1].place.offset_bytes == wrong_bytes);
    CHECK(findings[1].place.size_bytes == 512);
    CHECK(findings[1].description == "Log block 4 is damaged: its checksum is wrong.");
}

TEST_CASE("what is said of a wrong block's re-reads is what they returned") {
    const bool all_fail = GENERATE(true, false);
    Rig rig({.log_mb = 4});
    std::uint64_t wrong_bytes = 0;
    int rereads = 0;
    rig.run([&](Rig& r) -> ums::Task<void> {
        for (int i = 0; i < 20; ++i) co_await log_change(r, 5000);
        wrong_bytes = blocks_on_disk(r).at(3).offset_bytes;
        flip_bits(r.log_path(), wrong_bytes + 700, std::byte{1});
        // Those that go through a newly opened file are the third, the eighth and the fifteenth.
        r.storage.set_rule([&](const ums::IoRequest& request) {
            if (request.operation != ums::IoOperation::read || request.offset_bytes != wrong_bytes) return Fate{};
            ++rereads;
            const bool fails = all_fail || rereads == 3 || rereads == 8 || rereads == 15;
            return Fate{.error = fails ? EIO : 0};
        });
        co_await audit_log(r);
        r.storage.set_rule(nullptr);
    });
    CHECK(rereads == 15);
    const auto findings = rig.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::log_block_damaged);
    CHECK(findings[0].reasoning.at(1) == (all_fail ? "No re-read returned anything, so nobody knows whether the fault stays."
                                                   : "The fault is persistent: no re-read returned the right block."));
}
