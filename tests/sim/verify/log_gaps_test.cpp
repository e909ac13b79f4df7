// Blocks that are missing in the log of a run, and what a verification says of their places. In virtual time, on files in memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/files/rereader.hpp"
#include "sim/verify/log_analysis.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Results;

namespace {

constexpr std::uint64_t kHoleBytes = sim::kReadAlignmentBytes;

// Places that cannot be read, at most so many, each in other blocks than the one before it. `blocks`: where they begin, in order.
std::vector<std::uint64_t> holes_in(const std::map<std::uint64_t, std::uint64_t>& blocks, std::size_t count_max) {
    std::vector<std::uint64_t> holes;
    std::uint64_t sound_from = 0;
    std::uint64_t sound_until = 0;  // a block ends here that no hole has hit
    for (auto block = std::next(blocks.begin()); block != blocks.end() && holes.size() < count_max; ++block) {
        const std::uint64_t hole = block->second / kHoleBytes * kHoleBytes;
        if (std::prev(block)->second >= sound_from && sound_until < sound_from) sound_until = block->second;
        if (sound_until < sound_from || hole < sound_until) continue;
        holes.push_back(hole);
        sound_from = hole + kHoleBytes;
    }
    return holes;
}

// Small blocks, many of them.
void write_small_blocks(sim::Options& options) {
    options.test_cycle_duration_s = 2;
    options.random_user.user_count = 8;
    options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = 2;
    options.random_user.max_log_per_buffer_bytes = 256;
    options.random_user.sleep_after_ms = 1;
}

// From now on, so many places of the log, which has these blocks, cannot be read. Returns where they are.
std::vector<std::uint64_t> make_holes(LeftRun& left, const std::map<std::uint64_t, std::uint64_t>& blocks, std::size_t count) {
    std::vector<std::uint64_t> holes = holes_in(blocks, count);
    REQUIRE(holes.size() == count);
    left.make_log_unreadable(holes);
    return holes;
}

// From now on, this part of the log comes as zeros until its begin has been read alone so often.
void return_zeros_until(LeftRun& left, std::uint64_t begin_bytes, std::uint64_t end_bytes, std::uint32_t reads_alone) {
    const std::string log_path = left.options.files[1].path;
    left.run.storage.set_tamper([=, times = std::uint32_t{0}](ums::IoRequest& request, const std::string& path) mutable {
        if (request.operation != ums::IoOperation::read || path != log_path) return;
        // Smaller than a read that finds blocks, but larger than its parts, which are tried if it fails.
        const bool is_alone = request.size_bytes > kHoleBytes && request.size_bytes <= sim::kLogBlockBytesMax + 2 * kHoleBytes;
        if (is_alone && covers(request, begin_bytes)) ++times;
        const std::uint64_t from = std::max(begin_bytes, request.offset_bytes);
        const std::uint64_t until = std::min(end_bytes, request.offset_bytes + request.size_bytes);
        const bool is_wrong = times < reads_alone && from < until;
        if (is_wrong) std::memset(request.segments[0].data + (from - request.offset_bytes), 0, until - from);
    });
}

// A block that says nothing, in a virtual log file of 8 MB at the beginning of the log.
void write_block(LeftRun& left, std::uint64_t sequence, std::uint64_t hardened_sequence, std::uint64_t offset_bytes,
                 std::uint64_t size_bytes) {
    sim::LogBlockHeader header{};
    header.magic = sim::kLogMagic;
    header.format = sim::kLogFormat;
    header.record_count = 1;
    header.size_bytes = static_cast<std::uint32_t>(size_bytes);
    header.run_id = left.run_id;
    header.sequence = sequence;
    header.vlf_sequence = 1;
    header.vlf_sector = static_cast<std::uint32_t>((offset_bytes - sim::kPageBytes) / sim::kSectorBytes);
    header.first_lsn = sim::make_lsn(header.vlf_sequence, header.vlf_sector, 0);
    header.used_bytes = sizeof(sim::LogBlockHeader) + sizeof(sim::LogRecordHeader);
    header.file_id = 2;
    header.hardened_sequence = hardened_sequence;
    header.incarnation = 1;
    header.vlf_sectors = (8U << 20) / sim::kSectorBytes;
    sim::LogRecordHeader record{};
    record.size_bytes = sizeof record;
    record.kind = static_cast<std::uint16_t>(sim::LogRecordKind::checkpoint_begin);
    record.lsn = header.first_lsn;
    std::vector<std::byte> block(size_bytes);
    std::memcpy(block.data() + sizeof header, &record, sizeof record);
    std::memcpy(block.data(), &header, sizeof header);
    header.checksum = sim::crc32c(block.data() + sizeof header.checksum, block.size() - sizeof header.checksum);
    std::memcpy(block.data(), &header, sizeof header);
    left.log().write(offset_bytes, block.data(), block.size());
}

// Leaves no changed page: nothing but what was there when the file was made.
void forget_pages(LeftRun& left) {
    const std::vector<std::byte> zeros(left.data().size_bytes());
    left.data().write(0, zeros.data(), zeros.size());
    left.put_version(0, 1, 0);
}

}  // namespace

TEST_CASE("what stands in the place of a missing block, but cannot be a block of this log, is one finding") {
    LeftRun left(64);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint(10);
    const auto [wrong, wrong_bytes] = *std::next(kept.begin(), 5);
    left.change_block(wrong, [](std::vector<std::byte>& block) {
        const std::uint32_t no_file = 99;
        std::memcpy(block.data() + offsetof(sim::LogBlockHeader, file_id), &no_file, sizeof no_file);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap");
    CHECK_FALSE(results.findings[0].transient);
    CHECK(results.findings[0].place.offset_bytes == wrong_bytes);
}

TEST_CASE("blocks that are missing one after the other are one finding, which has their numbers") {
    LeftRun left(64);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint(10);
    const std::uint64_t first = std::next(kept.begin(), 5)->first;
    for (std::uint64_t lost = first; lost < first + 3; ++lost) left.erase_block(lost);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap");
    REQUIRE(results.findings[0].missing_blocks);
    CHECK(results.findings[0].missing_blocks->first == first);
    CHECK(results.findings[0].missing_blocks->last == first + 2);
}

TEST_CASE("of blocks that are missing with the last checkpoint it is said that it may have freed some of them") {
    LeftRun left;
    const std::uint64_t last = left.durability().last_block;
    SECTION("the checkpoint is there") {
        left.erase_block(last - 1);
        const Results results = left.verify();
        INFO(left.run.sink.text());
        for (const sim::Finding& finding : results.findings) {
            for (const std::string& reason : finding.reasoning) CHECK_THAT(reason, !ContainsSubstring("rightly written over"));
        }
    }
    SECTION("it is lost, too") {
        // The last two blocks are those of the last checkpoint.
        left.erase_blocks([last](const sim::LogBlockHeader& header) { return header.sequence != last - 2; });
        const Results results = left.verify();
        INFO(left.run.sink.text());
        REQUIRE_FALSE(results.findings.empty());
        CHECK(results.findings[0].kind == sim::FindingKind::log_gap);
        CHECK(results.durability.value().checkpoint_lsn == 0);
        CHECK_THAT(results.findings[0].reasoning.back(), ContainsSubstring("rightly written over"));
    }
}

TEST_CASE("a block that a later read brings is found although the one before it, where its virtual log file begins, is lost") {
    LeftRun left(64);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint(10);
    const auto [lost, lost_bytes] = *kept.begin();
    const std::uint64_t late_bytes = std::next(kept.begin())->second;
    left.erase_block(lost);
    left.return_log_late(late_bytes);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap log_gap");
    CHECK(results.findings[0].transient);
    CHECK(results.findings[0].place.offset_bytes == late_bytes);
    CHECK_FALSE(results.findings[1].transient);
    CHECK(results.findings[1].place.offset_bytes == lost_bytes);
    CHECK(results.durability->missing_blocks == 1);
}

TEST_CASE("only what cannot be read of the log is given up, however many places those are") {
    constexpr std::size_t kHoles = 70;
    LeftRun left(64, 0, write_small_blocks);
    make_holes(left, left.blocks_before_checkpoint(), kHoles);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.findings.size() == kHoles);
    for (const sim::Finding& finding : results.findings) {
        CHECK(finding.kind == sim::FindingKind::io_error);
        CHECK(finding.place.size_bytes == kHoleBytes);
    }
    // One after the other, those of one read of a megabyte took more than half a minute.
    CHECK(phase(results, sim::Phase::log_analysis).duration_us < 20'000'000);
}

TEST_CASE("a block that a later read brings is not lost, although many parts of the log cannot be read") {
    LeftRun left(64, 0, write_small_blocks);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint();
    constexpr std::size_t kHoles = 64;
    const std::vector<std::uint64_t> holes = make_holes(left, kept, kHoles);
    const auto late = std::prev(kept.end(), 2);
    REQUIRE(std::prev(late)->second >= holes.back() + kHoleBytes);
    const std::uint64_t late_bytes = late->second;
    left.change_first_log_reads([late_bytes](ums::IoRequest& request) { garble(request, late_bytes); });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.findings.size() == kHoles + 1);
    const sim::Finding& finding = results.findings.back();
    CHECK(finding.kind == sim::FindingKind::log_gap);
    CHECK(finding.transient);
    CHECK(finding.place.offset_bytes == late_bytes);
}

TEST_CASE("a block that a later read brings is not lost, however many others are") {
    constexpr std::uint64_t kLost = 66;
    LeftRun left(64, 0, write_small_blocks);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint(2 * kLost + 8);
    const std::uint64_t first = kept.begin()->first;
    left.erase_blocks([first](const sim::LogBlockHeader& header) {
        return header.sequence > first && header.sequence <= first + 2 * kLost && (header.sequence - first) % 2 == 0;
    });
    const std::uint64_t late_bytes = std::prev(kept.end(), 2)->second;
    left.change_first_log_reads([late_bytes](ums::IoRequest& request) { garble(request, late_bytes); });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.findings.size() == kLost + 1);
    CHECK(results.durability->missing_blocks == kLost);
    CHECK(results.findings.front().transient);
    CHECK(results.findings.front().place.offset_bytes == late_bytes);
}

TEST_CASE("all blocks that one wrong read has hidden are found by later reads, and none of them is lost") {
    constexpr std::size_t kHidden = 80;
    LeftRun left(64, 0, write_small_blocks);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint(kHidden + 8);
    const std::uint64_t begin_bytes = std::next(kept.begin())->second;
    const std::uint64_t end_bytes = std::next(kept.begin(), kHidden + 1)->second;
    left.change_first_log_reads([begin_bytes, end_bytes](ums::IoRequest& request) {
        const std::uint64_t from = std::max(begin_bytes, request.offset_bytes);
        const std::uint64_t until = std::min(end_bytes, request.offset_bytes + request.size_bytes);
        if (from < until) std::memset(request.segments[0].data + (from - request.offset_bytes), 0, until - from);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.findings.size() == kHidden);
    for (const sim::Finding& finding : results.findings) CHECK(finding.transient);
    CHECK(results.durability->missing_blocks == 0);
}

TEST_CASE("a part of the log that cannot be read is not called lost because blocks before it come with the very last read only") {
    LeftRun left(64, 0, write_small_blocks);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint();
    REQUIRE(kept.size() > 2);
    const std::uint64_t late_bytes = std::next(kept.begin())->second;
    // So far away that the first late block can be read, however large it may have been.
    const std::uint64_t hole = ((late_bytes + sim::kLogBlockBytesMax) / kHoleBytes + 1) * kHoleBytes;
    REQUIRE(std::prev(kept.end())->second >= hole + kHoleBytes);
    left.make_log_unreadable({hole});
    return_zeros_until(left, late_bytes, hole, sim::kRereadsMax + 1);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.findings.size() > 1);
    CHECK(results.findings[0].kind == sim::FindingKind::io_error);
    CHECK(results.findings[0].place.offset_bytes == hole);
    CHECK(results.findings[1].place.offset_bytes == late_bytes);
    for (std::size_t i = 1; i < results.findings.size(); ++i) {
        CHECK(results.findings[i].kind == sim::FindingKind::log_gap);
        CHECK(results.findings[i].transient);
    }
}

TEST_CASE("a block that only the fourth read brings is not lost, although many unreadable parts of the log stand behind late blocks") {
    constexpr std::uint64_t kGaps = 64;
    constexpr std::uint32_t kReads = 4;
    LeftRun left(64);
    left.erase_log();
    forget_pages(left);
    // Each unreadable block stands behind one so large that it cannot be where that one begins.
    std::uint64_t sequence = 0;
    std::uint64_t end_bytes = sim::kPageBytes;
    const auto add = [&](std::uint64_t size_bytes, std::uint64_t hardened_sequence) {
        write_block(left, ++sequence, hardened_sequence, end_bytes, size_bytes);
        end_bytes += size_bytes;
        return end_bytes - size_bytes;
    };
    std::vector<std::uint64_t> late;
    std::vector<std::uint64_t> holes;
    for (std::uint64_t i = 0; i < kGaps; ++i) {
        add(kHoleBytes, 0);
        late.push_back(add(sim::kLogBlockBytesMax, 0));
        holes.push_back(add(kHoleBytes, 0));
    }
    add(kHoleBytes, 0);
    const std::uint64_t latest = add(kHoleBytes, 0);
    add(kHoleBytes, sequence);
    left.make_log_unreadable(holes);
    const std::uint64_t last_byte = left.log().size_bytes() - 1;
    left.change_log_reads([=, is_scanned = false, reads = std::uint32_t{0}](ums::IoRequest& request) mutable {
        is_scanned = is_scanned || covers(request, last_byte);
        if (is_scanned && covers(request, latest)) ++reads;
        if (reads < kReads) garble(request, latest);
        for (const std::uint64_t place : late) {
            if (!is_scanned) garble(request, place);
        }
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    const auto count_of = [&results](sim::FindingKind kind, bool is_transient) {
        const auto count = std::count_if(results.findings.begin(), results.findings.end(), [=](const sim::Finding& finding) {
            return finding.kind == kind && finding.transient == is_transient;
        });
        return static_cast<std::uint64_t>(count);
    };
    CHECK(count_of(sim::FindingKind::io_error, false) == kGaps);
    CHECK(count_of(sim::FindingKind::log_gap, true) == kGaps + 1);
    CHECK(results.findings.size() == 2 * kGaps + 1);
    CHECK(results.durability->missing_blocks == kGaps);
}

TEST_CASE("a part of the log that comes only now and then is not given up with the one beside it, however many parts are unreadable") {
    constexpr std::size_t kHoles = 65;
    LeftRun left(64, 0, write_small_blocks);
    const std::vector<std::uint64_t> holes = make_holes(left, left.blocks_before_checkpoint(), kHoles);
    const Results in_holes = left.verify();
    REQUIRE(in_holes.findings.size() == kHoles);
    const std::uint64_t rare = holes.back() + kHoleBytes;  // comes alone, but not the first time
    bool was_tried = false;
    left.fail_log_reads([&](const Recorded& request) {
        const bool is_first = request.offset_bytes == rare && request.size_bytes == kHoleBytes && !was_tried;
        was_tried = was_tried || is_first;
        return is_first || LeftRun::meets_any(request, holes);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(was_tried);
    REQUIRE(results.findings.size() == kHoles);
    const auto together = std::count_if(results.findings.begin(), results.findings.end(),
                                        [](const sim::Finding& finding) { return finding.place.size_bytes == 2 * kHoleBytes; });
    CHECK(together == 1);
    CHECK(results.durability->missing_blocks == in_holes.durability->missing_blocks);
}

TEST_CASE("old data in a kept file is no finding although the log has a hole, in which the first writes may have been") {
    LeftRun left(64);
    // The last block holds an entire checkpoint, whose sums would show that every page had been written.
    left.change_each_record([](sim::LogRecordHeader& record, std::span<std::byte> /*body*/) {
        if (record.kind != static_cast<std::uint16_t>(sim::LogRecordKind::checkpoint_end)) return;
        record.kind = static_cast<std::uint16_t>(sim::LogRecordKind::checkpoint_begin);
    });
    std::uint64_t last = 0;
    left.for_each_block([&last](std::uint64_t, const sim::LogBlockHeader& header) { last = std::max(last, header.sequence); });
    left.erase_blocks([last](const sim::LogBlockHeader& header) { return header.sequence != 1 && header.sequence != last; });
    left.put_version(0, 1, 0);
    const std::vector<std::byte> noise(left.data().size_bytes() - sim::kPageBytes, std::byte{0x5a});
    left.data().write(sim::kPageBytes, noise.data(), noise.size());
    left.options.delete_files_at_startup = false;
    const Results results = left.verify();
    REQUIRE(results.durability->missing_blocks > 0);
    REQUIRE_FALSE(results.findings.empty());
    for (const sim::Finding& finding : results.findings) CHECK(finding.place.is_log);
    CHECK(results.durability->wrong_pages == 0);
}

TEST_CASE("pages that a missing part of the log may have cut off, and that are new since, are not lost, but others are") {
    LeftRun left(64);
    left.erase_block(left.take_back_to_needed_block());
    sim::FileOptions& file = left.options.files[0];
    file.initial_size_mb = 4;
    file.increment_mb = 1;
    const std::uint64_t stays_bytes = file.initial_size_mb << 20;
    const std::vector<std::byte> zeros(left.data().size_bytes() - stays_bytes);
    left.data().write(stays_bytes, zeros.data(), zeros.size());
    const auto is_in_log = [](const sim::Finding& finding) { return finding.place.is_log; };
    const Results of_fixed_size = left.verify();
    CHECK_FALSE(std::all_of(of_fixed_size.findings.begin(), of_fixed_size.findings.end(), is_in_log));
    file.shrinkable = true;
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE_FALSE(results.findings.empty());
    CHECK(std::all_of(results.findings.begin(), results.findings.end(), is_in_log));
    left.data().write(stays_bytes - sim::kPageBytes, zeros.data(), sim::kPageBytes);
    const Results lost = left.verify();
    CHECK(lost.findings.back().place.page_id == stays_bytes / sim::kPageBytes - 1);
    // That of -dir without -size: longer than the file ever was.
    file.initial_size_mb = 4096;
    const Results of_other_size = left.verify();
    CHECK(std::all_of(of_other_size.findings.begin(), of_other_size.findings.end(), is_in_log));
}
