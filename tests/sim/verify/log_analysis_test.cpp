// A run, something that happens to its log, and the findings of a verification. In virtual time, on files in memory.
#include "sim/verify/log_analysis.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/log/log_block_check.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::FindingKind;
using sim::kPageBytes;
using sim::Options;
using sim::Outcome;
using sim::Results;

namespace {

// Changes of two records, the first of which is before this place in the log and the second one after it.
std::size_t changes_across(const ums::SimulatedFile& log, std::uint64_t lsn) {
    std::vector<std::byte> bytes(log.size_bytes());
    log.read(0, bytes.data(), bytes.size());
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> begun;
    std::size_t count = 0;
    for (const auto wanted : {sim::LogRecordKind::page_update, sim::LogRecordKind::filler}) {
        for (std::size_t at = kPageBytes; at < bytes.size(); at += sim::kSectorBytes) {
            if (!sim::is_sound_block(bytes.data() + at, bytes.size() - at)) continue;
            static_cast<void>(
                sim::for_each_record(bytes.data() + at, [&](const sim::LogRecordHeader& record, std::span<const std::byte> /*body*/) {
                    if (record.kind != static_cast<std::uint16_t>(wanted)) return;
                    const std::tuple change(record.file_id, record.page_id, record.version);
                    if (wanted == sim::LogRecordKind::page_update && record.lsn < lsn) begun.insert(change);
                    if (wanted == sim::LogRecordKind::filler && record.lsn > lsn) count += begun.count(change);
                }));
        }
    }
    return count;
}

// The version that each page had when the last complete checkpoint began.
std::map<std::uint32_t, std::uint32_t> versions_at_checkpoint(LeftRun& left, std::uint64_t begin_lsn) {
    std::map<std::uint32_t, std::uint32_t> versions;
    left.change_each_record([&](const sim::LogRecordHeader& record, std::span<std::byte> /*body*/) {
        if (!LeftRun::is_change(record) || record.lsn <= begin_lsn) return;
        const auto [found, is_first] = versions.try_emplace(record.page_id, record.version - 1);
        if (!is_first) found->second = std::min(found->second, record.version - 1);
    });
    for (std::uint32_t page = 0; page < left.data().size_bytes() / kPageBytes; ++page) {
        versions.try_emplace(page, left.header(page).version);
    }
    return versions;
}

// As versions until 3 of the log have them.
void weight_sums_by_places(LeftRun& left) {
    const std::uint64_t begin_lsn = left.durability().checkpoint_lsn;
    const std::map<std::uint32_t, std::uint32_t> versions = versions_at_checkpoint(left, begin_lsn);
    std::size_t weighted = 0;
    left.change_each_record([&](const sim::LogRecordHeader& record, std::span<std::byte> body) {
        if (record.kind != static_cast<std::uint16_t>(sim::LogRecordKind::checkpoint_sums) || record.lsn < begin_lsn) return;
        for (std::size_t at = 0; at < body.size(); at += sizeof(sim::RegionSum)) {
            sim::RegionSum sum{};
            const std::uint32_t first = record.page_id + static_cast<std::uint32_t>(at / sizeof sum) * record.version;
            for (std::uint32_t place = 0; place < record.version && first + place < record.page_count; ++place) {
                sum.versions += versions.at(first + place);
                sum.weighted += std::uint64_t{place + 1} * versions.at(first + place);
            }
            std::memcpy(body.data() + at, &sum, sizeof sum);
            ++weighted;
        }
    });
    REQUIRE(weighted > 1);
}

}  // namespace

TEST_CASE("a missing acknowledged block is a hole, a block that may have been in flight is not") {
    LeftRun left;
    const sim::DurabilityResult durability = left.durability();
    REQUIRE(durability.last_block > durability.hardened_block);
    left.erase_block(durability.last_block);
    CHECK(kinds(left.verify()) == "");

    LeftRun hole;
    const std::uint64_t needed = hole.take_back_to_needed_block();
    hole.erase_block(needed);
    const Results results = hole.verify();
    REQUIRE_FALSE(results.findings.empty());
    CHECK(results.findings[0].kind == FindingKind::log_gap);
    CHECK(results.findings[0].place.is_log);
    CHECK(results.durability->missing_blocks == 1);
    CHECK(results.durability->last_block == needed - 1);
}

TEST_CASE("an acknowledged block is missed even if recovery needs it no longer, as long as its virtual log file had not been freed") {
    const bool is_first = GENERATE(false, true);
    LeftRun left(64);
    const sim::DurabilityResult durability = left.durability();
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint(10);
    const auto [sequence, offset_bytes] = is_first ? *kept.begin() : *std::next(kept.begin(), 5);
    left.erase_block(sequence);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap");
    CHECK(results.findings[0].place.is_log);
    CHECK(results.findings[0].place.offset_bytes == offset_bytes);
    CHECK_FALSE(results.findings[0].transient);
    CHECK_THAT(results.findings[0].description, ContainsSubstring(std::to_string(sequence)));
    CHECK(results.durability->missing_blocks == 1);
    CHECK(results.durability->last_block == durability.last_block);
    CHECK(results.durability->checkpoint_lsn == durability.checkpoint_lsn);
}

TEST_CASE("a block that the first read did not return is not lost, even if the one before it in the same file is") {
    LeftRun left(64);
    const std::map<std::uint64_t, std::uint64_t> kept = left.blocks_before_checkpoint(10);
    const std::uint64_t lost = std::next(kept.begin(), 3)->first;
    const std::uint64_t late_bytes = std::next(kept.begin(), 7)->second;
    left.erase_block(lost);
    left.return_log_late(late_bytes);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap log_gap");
    CHECK(results.findings[0].transient);
    CHECK(results.findings[0].place.offset_bytes == late_bytes);
    CHECK_FALSE(results.findings[1].transient);
    CHECK_THAT(results.findings[1].description, ContainsSubstring(fmt::format("block {} is not there", lost)));
    CHECK(results.durability->missing_blocks == 1);
}

TEST_CASE("what is in place of a missing block is shown, even if the disk has sectors of 4 KB and the log smaller units") {
    LeftRun left(64);
    const sim::DurabilityResult durability = left.durability();
    std::uint64_t erased = 0;
    left.for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        const bool is_in_vlf = header.vlf_sequence == sim::vlf_of_lsn(durability.checkpoint_lsn) && header.vlf_sector != 0;
        if (is_in_vlf && header.first_lsn < durability.checkpoint_lsn && offset_bytes % LeftRun::kLargeSectorBytes != 0)
            erased = header.sequence;
    });
    REQUIRE(erased != 0);
    left.erase_block(erased);
    left.give_log_large_sectors();
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "log_gap");
    CHECK(results.findings[0].reads > 15);
    CHECK_FALSE(results.findings[0].evidence.image.empty());
}

TEST_CASE("a log that has lost everything does not excuse changed pages") {
    LeftRun left;
    left.erase_log();
    const Results results = left.verify();
    CHECK(results.outcome == Outcome::failed);
    REQUIRE_FALSE(results.findings.empty());
    CHECK(results.findings[0].kind == FindingKind::wal_violation);
    // All are counted, but not all are reported one by one.
    CHECK(results.durability->wrong_pages >= 1000);
    CHECK(results.durability->unreported_pages == results.durability->wrong_pages - 1000);
    CHECK(results.finding_count <= 1001);
}

TEST_CASE("a log of another format is not judged") {
    LeftRun left;
    left.set_log_format(sim::kLogFormat + 1);
    const Results results = left.verify();
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::not_done);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("format 5") && ContainsSubstring("format 4"));
}

TEST_CASE("the sums of a log of version 3 are compared by the places of their pages") {
    LeftRun left;
    left.forget_changes_before_checkpoint();
    weight_sums_by_places(left);
    left.set_log_format(sim::kLogFormatOfPlaces);
    const Results intact = left.verify();
    INFO(left.run.sink.text());
    CHECK(kinds(intact) == "");
    CHECK(intact.durability->regions_compared > 1);
    const std::uint32_t page = left.busy_page();
    const sim::PageHeader header = left.header(page);
    left.put_version(page, header.version - 1, header.lsn - 1);
    const Results lost = left.verify();
    REQUIRE(kinds(lost) == "lost_write");
    CHECK(lost.findings[0].place.page_id == page);
    CHECK(lost.findings[0].place.size_bytes == kPageBytes);
}

TEST_CASE("if the log is empty, changed pages are found even in a file that has lost its first page") {
    LeftRun left;
    left.erase_log();
    const std::vector<std::byte> no_pages(left.data().size_bytes());
    left.data().write(0, no_pages.data(), kPageBytes);
    const Results changed = left.verify();
    REQUIRE_FALSE(changed.findings.empty());
    CHECK(changed.findings[0].kind == FindingKind::wal_violation);

    // What the run did not write proves nothing: the file may not have been created yet.
    left.data().write(0, no_pages.data(), no_pages.size());
    const std::vector<std::byte> foreign(kPageBytes, std::byte{0x5a});
    left.data().write(7 * kPageBytes, foreign.data(), kPageBytes);
    const Results unmade = left.verify();
    CHECK(kinds(unmade) == "");
    CHECK(unmade.outcome == Outcome::not_done);
}

TEST_CASE("a page that cannot be read does not show that the run had made its files, a page with a change does") {
    const bool has_change = GENERATE(false, true);
    LeftRun left;
    const std::uint64_t change = left.busy_page();
    std::vector<std::byte> page(kPageBytes);
    left.data().read(change * kPageBytes, page.data(), kPageBytes);
    const std::vector<std::byte> zeros(std::max(left.log().size_bytes(), left.data().size_bytes()));
    left.log().write(0, zeros.data(), left.log().size_bytes());
    left.data().write(0, zeros.data(), left.data().size_bytes());
    left.put_version(0, 1, 0);
    if (has_change) left.data().write(change * kPageBytes, page.data(), kPageBytes);
    const std::uint64_t bad_bytes = (change + 1) * kPageBytes;
    left.fail_data_reads([bad_bytes](const Recorded& request) { return covers(request, bad_bytes); });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    const bool has_odd_log = std::any_of(results.findings.begin(), results.findings.end(),
                                         [](const sim::Finding& finding) { return finding.kind == sim::FindingKind::lost_write; });
    CHECK(has_odd_log == has_change);
    CHECK(results.outcome == Outcome::failed);
    REQUIRE_FALSE(results.findings.empty());
}

TEST_CASE("a change of two log records, between which a checkpoint began, does not contradict what the checkpoint recorded") {
    std::size_t across = 0;
    for (std::uint64_t seed = 10; seed <= 20; ++seed) {
        VirtualRun run{random_disk(seed, 200, 600)};
        Options options = busy_options(VirtualRun::kFolder);
        options.seed = seed;
        options.checkpoint_interval_ms = 1;
        options.log_flushes_outstanding = 1;
        options.files[1].initial_size_mb = options.files[1].max_size_mb = 16;
        options.random_user.user_count = 100;
        options.random_user.min_log_per_buffer_bytes = options.random_user.max_log_per_buffer_bytes = 63'488;
        // Stopped in the main run: the last checkpoint that was completed began while users worked.
        const Results made = run.run(options, [&](sim::Simulation& simulation) {
            run.storage.set_tagger([&, requests = 0]() mutable {
                if (simulation.phase() == sim::Phase::main_run && ++requests == 500 + 150 * static_cast<int>(seed))
                    simulation.request_stop();
                return 0;
            });
        });
        run.storage.set_tagger({});
        REQUIRE(made.outcome == Outcome::stopped);
        options.job = sim::Job::verify;
        const Results results = run.run(options);
        INFO("seed " << seed << "\n" << run.sink.text());
        CHECK(kinds(results) == "");
        REQUIRE(results.durability);
        across += changes_across(*run.memory.find(options.files[1].path), results.durability->checkpoint_lsn);
    }
    CHECK(across > 0);
}

TEST_CASE("a log block that is right on the first read but not on the second is read again and reported, and no page is blamed") {
    const bool stays = GENERATE(false, true);
    LeftRun left;
    const sim::DurabilityResult durability = left.durability();
    // Not near the end, behind which the analysis reads, too.
    const std::uint64_t wrong_block = (durability.first_block + durability.last_block) / 2;
    const std::uint64_t wrong_bytes = left.offset_of_block(wrong_block) + sizeof(sim::LogBlockHeader);
    // The analysis reads the log from beginning to end, then the blocks that it needs.
    const std::uint64_t last_byte = left.log().size_bytes() - 1;
    bool is_scanned = false;
    std::uint32_t reads = 0;
    left.change_log_reads([&](ums::IoRequest& request) {
        const bool is_of_scan = !is_scanned;
        is_scanned = is_scanned || covers(request, last_byte);
        if (is_of_scan || !covers(request, wrong_bytes)) return;
        if (++reads == 1 || stays) garble(request, wrong_bytes);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].kind == FindingKind::log_block_damaged);
    CHECK(results.findings[0].place.is_log);
    CHECK(results.findings[0].transient == !stays);
}

TEST_CASE(
    "a part of the log that cannot be read is one finding, wherever it is, and what it held is neither called lost nor blamed on pages") {
    const bool is_at_end = GENERATE(true, false);
    LeftRun left;
    const sim::DurabilityResult durability = left.durability();
    const std::uint64_t bad_block = is_at_end ? durability.last_block : (durability.first_block + durability.last_block) / 2;
    const std::uint64_t bad_bytes = left.offset_of_block(bad_block) / sim::kReadAlignmentBytes * sim::kReadAlignmentBytes;
    REQUIRE(bad_bytes != 0);
    left.make_log_unreadable({bad_bytes});
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "io_error");
    CHECK(results.findings[0].place.is_log);
    CHECK(results.findings[0].place.offset_bytes == bad_bytes);
    CHECK(results.findings[0].place.size_bytes == sim::kReadAlignmentBytes);
    CHECK_FALSE(results.findings[0].transient);
    CHECK(results.files[0].pages_verified == left.data().size_bytes() / kPageBytes);
    CHECK(results.outcome == Outcome::failed);
}

TEST_CASE("a read of the log that fails once is a transient error, and the log is verified as if nothing had happened") {
    LeftRun left;
    const std::uint64_t blocks = left.durability().log_blocks;
    bool has_failed = false;
    left.fail_log_reads([&has_failed](const Recorded& /*request*/) { return !std::exchange(has_failed, true); });
    const Results results = left.verify();
    REQUIRE(kinds(results) == "io_error");
    CHECK(results.findings[0].transient);
    CHECK(results.durability->log_blocks == blocks);
}

TEST_CASE("a part of the log that cannot be read is reported once, even if two reads of a megabyte overlap there") {
    constexpr std::uint64_t kBadBytes = (std::uint64_t{1} << 20) + sim::kLogBlockBytesMax;  // at the end of the first read
    LeftRun left(2);
    left.make_log_unreadable({kBadBytes});
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "io_error");
    CHECK(results.findings[0].place.offset_bytes == kBadBytes);
}

TEST_CASE("a file that is shorter than the log says may have been cut, if it may be cut, and the log may have lost that") {
    const bool may_be_cut = GENERATE(true, false);
    LeftRun left;
    sim::FileOptions& file = left.options.files[0];
    file.increment_mb = 1;
    file.shrinkable = may_be_cut;
    file.initial_size_mb = 4;
    left.data().resize(left.data().size_bytes() - 10 * kPageBytes);
    REQUIRE(left.data().size_bytes() > (std::uint64_t{4} << 20));
    const Results results = left.verify();
    REQUIRE(kinds(results) == "lost_write");
    CHECK((results.findings[0].reasoning.back().find("ahead of the log") != std::string::npos) == may_be_cut);
}
