// Where the log ends, and what is a hole in it.
#include "sim/verify/log_extent.hpp"

#include "tests/support/catch.hpp"

namespace {

using sim::LogBlockPlace;
using sim::LogContents;
using sim::LogExtent;

// Each block has one record, whose LSN is ten times its number.
LogContents log_of(std::initializer_list<std::uint64_t> sequences, std::uint64_t hardened) {
    LogContents contents;
    for (const std::uint64_t sequence : sequences) {
        LogBlockPlace block;
        block.sequence = sequence;
        block.first_lsn = block.last_lsn = sequence * 10;
        contents.blocks.push_back(block);
    }
    if (!contents.blocks.empty()) contents.blocks.back().hardened_sequence = hardened;
    return contents;
}

// A block in a VLF of this many sectors that begins at this offset.
LogBlockPlace block_in_vlf(std::uint64_t vlf_begin, std::uint32_t vlf_sectors, std::uint32_t vlf_sector = 0) {
    LogBlockPlace block;
    block.file_id = 2;
    block.offset_bytes = vlf_begin + std::uint64_t{vlf_sector} * 512;
    block.vlf_sector = vlf_sector;
    block.vlf_sectors = vlf_sectors;
    return block;
}

void add_checkpoint(LogContents& contents, std::uint64_t begin, std::uint64_t end) {
    contents.checkpoints.push_back({.sequence = end, .begin_lsn = begin * 10, .end_lsn = end * 10});
}

}  // namespace

TEST_CASE("an unbroken row ends with its last block") {
    const LogExtent extent = sim::find_extent(log_of({1, 2, 3, 4}, 3));
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.first_sequence == 1);
    CHECK(extent.last_sequence == 4);
    CHECK(extent.last_lsn == 40);
    CHECK(extent.hardened_sequence == 3);
    CHECK(extent.blocks_in_row == 4);
    CHECK(extent.blocks_behind == 0);
}

TEST_CASE("a block after a missing one is legal if both were in flight") {
    const LogExtent extent = sim::find_extent(log_of({1, 2, 4, 6}, 2));
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.last_sequence == 2);
    CHECK(extent.blocks_behind == 2);
}

TEST_CASE("a block that records the missing one as hardened proves a hole") {
    const LogExtent extent = sim::find_extent(log_of({1, 2, 5, 6}, 4));
    REQUIRE(extent.missing.size() == 1);
    CHECK(extent.missing[0].first == 3);
    CHECK(extent.missing[0].last == 4);
    CHECK(extent.last_sequence == 2);
    CHECK(extent.last_lsn == 20);
    CHECK(extent.blocks_behind == 2);
}

TEST_CASE("what was freed before the last complete checkpoint is not missing") {
    LogContents contents = log_of({7, 8, 9, 10}, 9);
    CHECK(sim::find_extent(contents).has_hole());  // nothing says that 1 to 6 were freed
    add_checkpoint(contents, 8, 9);
    const LogExtent extent = sim::find_extent(contents);
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.first_sequence == 7);
    REQUIRE(extent.checkpoint);
    CHECK(extent.checkpoint->begin_lsn == 80);
}

TEST_CASE("a hole between a checkpoint's begin and its end counts, one before its begin does not") {
    LogContents before = log_of({5, 7, 8, 9}, 8);
    add_checkpoint(before, 7, 8);
    CHECK_FALSE(sim::find_extent(before).has_hole());
    CHECK(sim::find_extent(before).first_sequence == 7);

    LogContents within = log_of({5, 6, 8, 9}, 8);
    add_checkpoint(within, 6, 8);
    const LogExtent extent = sim::find_extent(within);
    REQUIRE(extent.missing.size() == 1);
    CHECK(extent.missing[0].first == 7);
    CHECK(extent.last_sequence == 6);
    CHECK_FALSE(extent.checkpoint);  // its end lies beyond the hole
}

TEST_CASE("what stood before a checkpoint's begin in the same virtual log file is missing, in earlier ones it may have been overwritten") {
    LogContents contents = log_of({2, 4, 6, 7, 8, 9}, 8);
    for (LogBlockPlace& block : contents.blocks) {
        block.vlf_sector = block.sequence == 4 ? 0 : 1;
        block.first_lsn = block.last_lsn = (std::uint64_t{block.sequence < 4 ? 1U : 2U} << 32) + block.sequence * 10;
    }
    contents.checkpoints.push_back({.sequence = 8, .begin_lsn = contents.blocks[3].first_lsn, .end_lsn = contents.blocks[4].last_lsn});
    const LogExtent extent = sim::find_extent(contents);
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.checkpoint);
    CHECK(extent.first_sequence == 6);
    REQUIRE(extent.missing_unneeded.size() == 1);
    CHECK(extent.missing_unneeded[0].first == 5);
    CHECK(extent.missing_unneeded[0].last == 5);

    contents.blocks[1].vlf_sector = 1;  // another block stood before it in the virtual log file
    REQUIRE(sim::find_extent(contents).missing_unneeded.size() == 2);
    CHECK(sim::find_extent(contents).missing_unneeded[0].first == 3);
    CHECK(sim::find_extent(contents).missing_unneeded[0].last == 3);

    contents.blocks.back().hardened_sequence = 4;  // 5 may have been in flight
    REQUIRE(sim::find_extent(contents).missing_unneeded.size() == 1);
    CHECK(sim::find_extent(contents).missing_unneeded[0].first == 3);
}

TEST_CASE("a lost begin of a checkpoint counts as missing") {
    LogContents contents = log_of({5, 7, 8}, 7);
    add_checkpoint(contents, 6, 8);
    const LogExtent extent = sim::find_extent(contents);
    REQUIRE(extent.missing.size() == 2);
    CHECK(extent.missing[0].last == 4);  // the checkpoint was still in flight, so it has freed nothing
    CHECK(extent.missing[1].first == 6);
}

TEST_CASE("what a later checkpoint does not need is not missing, even if that checkpoint is not yet known to be acknowledged") {
    LogContents contents = log_of({5, 9, 10, 11}, 8);
    add_checkpoint(contents, 4, 5);
    CHECK(sim::find_extent(contents).has_hole());
    add_checkpoint(contents, 9, 10);
    const LogExtent extent = sim::find_extent(contents);
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.first_sequence == 9);
    CHECK(extent.last_sequence == 11);
    REQUIRE(extent.checkpoint);
    CHECK(extent.checkpoint->begin_lsn == 90);
}

TEST_CASE("a checkpoint whose end was still in flight after a gap is not the last complete one") {
    LogContents contents = log_of({1, 2, 3, 5}, 3);
    add_checkpoint(contents, 1, 2);
    add_checkpoint(contents, 3, 5);
    const LogExtent extent = sim::find_extent(contents);
    CHECK_FALSE(extent.has_hole());
    REQUIRE(extent.checkpoint);
    CHECK(extent.checkpoint->begin_lsn == 10);
}

TEST_CASE("a complete checkpoint does not count if a block is missing between its end and the row that recovery reads") {
    LogContents contents = log_of({5, 6, 8, 10, 11}, 10);
    add_checkpoint(contents, 5, 6);
    add_checkpoint(contents, 8, 10);  // so recovery does not need 7
    const LogExtent extent = sim::find_extent(contents);
    REQUIRE(extent.missing.size() == 1);
    CHECK(extent.missing[0].first == 9);
    CHECK(extent.missing[0].last == 9);
    CHECK(extent.first_sequence == 8);
    CHECK(extent.last_sequence == 8);
    CHECK_FALSE(extent.checkpoint);  // 7 may have changed pages since the first one
}

TEST_CASE("a block that a ledger elsewhere records as hardened counts as missing even at the end of the log") {
    LogContents contents = log_of({1, 2, 3}, 2);
    CHECK_FALSE(sim::find_extent(contents).has_hole());
    contents.promised_sequence = 5;
    const LogExtent extent = sim::find_extent(contents);
    REQUIRE(extent.missing.size() == 1);
    CHECK(extent.missing[0].first == 4);
    CHECK(extent.missing[0].last == 5);
    CHECK(extent.last_sequence == 3);
}

TEST_CASE("a resumed run continues with a different sequence number") {
    LogContents contents = log_of({1, 2, 4, 9, 10}, 9);  // 4 was in flight at the cut; 9 says so
    CHECK(sim::find_extent(contents).has_hole());
    contents.resumes.push_back({.sequence = 9, .last_sequence = 2, .last_lsn = 20});
    const LogExtent extent = sim::find_extent(contents);
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.first_sequence == 1);
    CHECK(extent.last_sequence == 10);
    CHECK(extent.blocks_in_row == 4);
    REQUIRE(extent.row.size() == 2);
    CHECK(extent.row[0].last == 2);
    CHECK(extent.row[1].first == 9);
}

TEST_CASE("without blocks there is no log") {
    const LogExtent extent = sim::find_extent({});
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.first_sequence == 0);
    CHECK(extent.last_sequence == 0);
    CHECK(extent.last_lsn == 0);
    CHECK(extent.blocks_in_row == 0);
}

TEST_CASE("a log that was never freed and lacks its first block has a hole only if that block was acknowledged") {
    const LogExtent in_flight = sim::find_extent(log_of({2, 3}, 0));
    CHECK_FALSE(in_flight.has_hole());
    CHECK(in_flight.last_sequence == 0);
    CHECK(in_flight.blocks_behind == 2);
    CHECK(sim::find_extent(log_of({2, 3}, 1)).has_hole());
}

TEST_CASE("what follows the end of an incarnation is dead once the next one has continued without it") {
    // 5 was lost, 6 and 7 were in flight, and the run continued after 4 with 8.
    LogContents contents = log_of({3, 4, 6, 7, 8, 9}, 8);
    contents.blocks[3].hardened_sequence = 6;
    add_checkpoint(contents, 3, 4);
    add_checkpoint(contents, 6, 7);
    contents.resumes.push_back({.sequence = 8, .last_sequence = 4, .last_lsn = 40});
    const LogExtent extent = sim::find_extent(contents);
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.last_sequence == 9);
    REQUIRE(extent.row.size() == 2);
    CHECK(extent.row[0].last == 4);
    CHECK(extent.row[1].first == 8);
    REQUIRE(extent.checkpoint);
    CHECK(extent.checkpoint->begin_lsn == 30);
}

TEST_CASE("what was given up when a run continued is not missing, even if the block that says so is") {
    // 101 was in flight, and the run continued after 100 with one of 104 to 106.
    LogContents contents = log_of({99, 100, 102, 103, 107}, 106);
    contents.blocks[2].hardened_sequence = 100;
    for (LogBlockPlace& block : contents.blocks) block.incarnation = block.sequence == 107 ? 2 : 1;
    add_checkpoint(contents, 99, 100);
    const LogExtent extent = sim::find_extent(contents);
    REQUIRE(extent.missing.size() == 1);
    CHECK(extent.missing[0].first == 104);
    CHECK(extent.missing[0].last == 106);
    CHECK(extent.last_sequence == 100);
    CHECK(extent.checkpoint);

    LogContents promised = contents;
    promised.promised_sequence = 101;
    CHECK(sim::find_extent(promised).missing.size() == 2);
    contents.blocks[3].hardened_sequence = 101;  // so it had been acknowledged
    REQUIRE(sim::find_extent(contents).missing.size() == 2);
    CHECK(sim::find_extent(contents).missing[0].first == 101);
}

TEST_CASE("a resume that is itself dead makes nothing dead") {
    LogContents contents = log_of({1, 2, 3, 5, 6}, 5);
    contents.resumes.push_back({.sequence = 4, .last_sequence = 1, .last_lsn = 10});  // in flight when the second incarnation was cut
    contents.resumes.push_back({.sequence = 5, .last_sequence = 3, .last_lsn = 30});
    const LogExtent extent = sim::find_extent(contents);
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.first_sequence == 1);
    CHECK(extent.last_sequence == 6);
    CHECK(extent.blocks_in_row == 5);
}

TEST_CASE("blocks of an owner that did not know of its successor do not continue the log") {
    LogContents contents = log_of({1, 2, 3, 5, 6, 7, 8, 9}, 6);
    for (LogBlockPlace& block : contents.blocks) block.incarnation = block.sequence == 5 || block.sequence == 6 ? 2 : 1;
    contents.resumes.push_back({.sequence = 5, .last_sequence = 3, .last_lsn = 30, .incarnation = 2});
    contents.checkpoints.push_back({.sequence = 9, .begin_lsn = 80, .end_lsn = 90, .incarnation = 1});  // the zombie's
    const LogExtent extent = sim::find_extent(contents);
    CHECK_FALSE(extent.has_hole());
    CHECK(extent.last_sequence == 6);
    CHECK(extent.blocks_behind == 0);
    CHECK_FALSE(extent.checkpoint);
    CHECK(extent.blocks_in_row == 5);
}

TEST_CASE("a checkpoint in a block of the number with which a successor begins does not count if the successor was not known there") {
    LogContents contents = log_of({1, 2, 3, 5, 6}, 6);
    for (LogBlockPlace& block : contents.blocks) block.incarnation = block.sequence >= 5 ? 2 : 1;
    contents.resumes.push_back({.sequence = 5, .last_sequence = 3, .last_lsn = 30, .incarnation = 2});
    contents.checkpoints.push_back({.sequence = 5, .begin_lsn = 20, .end_lsn = 50, .incarnation = 1});
    CHECK_FALSE(sim::find_extent(contents).checkpoint);
    contents.checkpoints.back().incarnation = 2;
    CHECK(sim::find_extent(contents).checkpoint);
}

TEST_CASE("blocks prove the least size of their file: up to the end of their VLF, and in the first VLF the number of VLFs") {
    constexpr std::uint64_t kMbBytes = 1 << 20;
    LogContents contents;
    CHECK(sim::least_log_bytes(contents, 2) == 0);
    // Four of a file of 4 MB, eight of one of 160 MB; those of 64 MB could be four of 32 MB.
    const std::uint32_t of_4_mb = (4 * kMbBytes - 8192) / 4 / 512;
    const std::uint32_t of_160_mb = (160 * kMbBytes - 8192) / 8 / 512;
    const std::uint32_t of_64_mb = (64 * kMbBytes - 8192) / 8 / 512;
    contents.blocks = {block_in_vlf(8192, of_4_mb, 7)};
    CHECK(sim::least_log_bytes(contents, 2) == 4 * kMbBytes);
    CHECK(sim::least_log_bytes(contents, 3) == 0);
    contents.blocks = {block_in_vlf(8192, of_160_mb)};
    CHECK(sim::least_log_bytes(contents, 2) == 160 * kMbBytes);
    contents.blocks = {block_in_vlf(8192, of_64_mb)};
    CHECK(sim::least_log_bytes(contents, 2) == 8192 + 4 * std::uint64_t{of_64_mb} * 512);
    // A VLF that a growth added.
    contents.blocks = {block_in_vlf(8192, of_4_mb), block_in_vlf(4 * kMbBytes, 2048, 2047)};
    CHECK(sim::least_log_bytes(contents, 2) == 5 * kMbBytes);
    // From the second VLF alone only its own end is known.
    contents.blocks = {block_in_vlf(8192 + std::uint64_t{of_4_mb} * 512, of_4_mb)};
    CHECK(sim::least_log_bytes(contents, 2) == 8192 + 2 * std::uint64_t{of_4_mb} * 512);
}
