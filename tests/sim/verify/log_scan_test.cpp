// Log blocks whose checksum is right although no run wrote them: a checksum does not say whose bytes they are.
#include "sim/verify/log_scan.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::LogBlockHeader;
using sim::LogRecordHeader;

namespace {

// Puts `value` into the block with this number, at this offset, and makes the checksum right.
template <typename Value>
void put_into_block(LeftRun& left, std::uint64_t sequence, std::size_t offset, const Value& value) {
    left.change_block(sequence, [&](std::vector<std::byte>& block) { std::memcpy(block.data() + offset, &value, sizeof value); });
}

}  // namespace

TEST_CASE("a log block whose numbers do not belong to its place is not one of the log") {
    LeftRun left;
    const std::uint64_t last = left.durability().last_block;
    std::vector<std::byte> log(left.log().size_bytes());
    left.log().read(0, log.data(), log.size());
    LogBlockHeader header{};
    left.for_each_block([&](std::uint64_t, const LogBlockHeader& block) {
        if (block.sequence == last) header = block;
    });
    const auto is_left_out = [&] {
        const sim::Results results = left.verify();
        left.log().write(0, log.data(), log.size());
        return kinds(results).empty() && results.durability->last_block == last - 1 && results.durability->blocks_behind == 0;
    };
    CHECK_FALSE(is_left_out());
    put_into_block(left, last, offsetof(LogBlockHeader, first_lsn), sim::make_lsn(header.vlf_sequence, header.vlf_sector + 1, 0));
    CHECK(is_left_out());
    put_into_block(left, last, offsetof(LogBlockHeader, first_lsn), sim::make_lsn(header.vlf_sequence - 1, header.vlf_sector, 0));
    CHECK(is_left_out());
    put_into_block(left, last, offsetof(LogBlockHeader, vlf_sequence), header.vlf_sequence + 1);
    CHECK(is_left_out());
    put_into_block(left, last, offsetof(LogBlockHeader, sequence), ~std::uint64_t{0});
    CHECK(is_left_out());
    put_into_block(left, last, sizeof(LogBlockHeader) + offsetof(LogRecordHeader, lsn), header.first_lsn + 1);
    CHECK(is_left_out());
}

TEST_CASE("a log in units of 512 bytes is verified on a disk with sectors of 4 KB") {
    LeftRun left;
    std::uint64_t within_sectors = 0;
    left.for_each_block([&](std::uint64_t offset_bytes, const LogBlockHeader&) {
        within_sectors += offset_bytes % LeftRun::kLargeSectorBytes != 0 ? 1 : 0;
    });
    REQUIRE(within_sectors > 0);
    left.give_log_large_sectors();
    const sim::Results results = left.verify();
    CHECK(kinds(results) == "");
    CHECK(results.outcome == sim::Outcome::passed);
}
