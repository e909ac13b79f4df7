// A run, something that happens to its files, and the findings of a verification. In virtual time, on files in memory.
#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "sim/log/log_block_check.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::FindingKind;
using sim::kPageBytes;
using sim::Options;
using sim::Outcome;
using sim::PageHeader;
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

}  // namespace

TEST_CASE("the files of a completed run are as their log says, and a verification writes nothing") {
    LeftRun left;
    const std::size_t writes_before = left.run.storage.request_count();
    const Results results = left.verify();
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
    REQUIRE(results.durability);
    CHECK(results.durability->missing_blocks == 0);
    CHECK(results.durability->checkpoint_lsn != 0);
    CHECK(results.durability->regions_compared > 0);
    CHECK(results.durability->regions_skipped == 0);
    CHECK(results.files[0].pages_verified == left.data().size_bytes() / kPageBytes);
    CHECK(results.files[0].writes + results.files[0].gather_writes + results.files[1].writes == 0);
    CHECK(left.run.storage.request_count() > writes_before);
}

TEST_CASE("a page that reverted to an older version is reported as a lost write, even if its log was truncated") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const PageHeader header = left.header(page);
    left.put_version(page, header.version - 2, header.lsn - 1);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "lost_write");
    const Finding& finding = results.findings[0];
    CHECK(finding.place.page_id == page);
    REQUIRE(finding.expected);
    CHECK(finding.expected->version == header.version);
    REQUIRE(finding.received);
    CHECK(finding.received->version == header.version - 2);
    CHECK(results.durability->wrong_pages == 1);
    CHECK(results.outcome == Outcome::failed);
}

TEST_CASE("several reverted pages of a region are found by its sums") {
    LeftRun left;
    const std::uint32_t first = left.busy_page();
    std::uint32_t second = left.busy_page(1);
    for (std::uint32_t nth = 2; second % 2 == first % 2; ++nth) second = left.busy_page(nth);
    REQUIRE(first / 64 == second / 64);
    for (const std::uint32_t page : {first, second}) left.put_version(page, left.header(page).version - 1, left.header(page).lsn - 1);
    const Results results = left.verify();
    REQUIRE_FALSE(results.findings.empty());
    CHECK(results.findings[0].kind == FindingKind::lost_write);
    CHECK(results.findings[0].place.page_id / 64 == first / 64);
}

TEST_CASE("a damaged page, a page from another place and a page of zeros are each named") {
    LeftRun left;
    const std::uint32_t damaged = left.busy_page();
    std::byte flipped{};
    left.data().read(std::uint64_t{damaged} * kPageBytes + 5000, &flipped, 1);
    flipped ^= std::byte{16};
    left.data().write(std::uint64_t{damaged} * kPageBytes + 5000, &flipped, 1);
    CHECK(kinds(left.verify()) == "bit_corruption");

    LeftRun misplaced;
    PageBuffer buffer;
    misplaced.data().read(std::uint64_t{misplaced.busy_page(1)} * kPageBytes, buffer.data(), kPageBytes);
    misplaced.data().write(std::uint64_t{misplaced.busy_page()} * kPageBytes, buffer.data(), kPageBytes);
    CHECK(kinds(misplaced.verify()) == "misdirected_write");

    LeftRun emptied;
    const std::vector<std::byte> zeros(kPageBytes);
    emptied.data().write(std::uint64_t{emptied.busy_page()} * kPageBytes, zeros.data(), zeros.size());
    CHECK(kinds(emptied.verify()) == "lost_write");
}

TEST_CASE("a page that is half an older version is torn, although no write of it was in flight") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    PageBuffer older;
    sim::make_page({left.run_id, 1, page, left.header(page).version - 1, left.header(page).lsn - 1, 1}, older.data());
    left.data().write(std::uint64_t{page} * kPageBytes + kPageBytes / 2, older.data() + kPageBytes / 2, kPageBytes / 2);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "torn_page");
    CHECK(results.durability->torn_pages == 0);  // that figure counts legal ones
}

TEST_CASE("a page that is newer than the log violates the write-ahead rule") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const std::uint64_t last_lsn = left.verify().durability->last_lsn;
    left.put_version(page, left.header(page).version + 1, last_lsn + 1);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "wal_violation");
    CHECK(results.findings[0].place.page_id == page);
}

TEST_CASE("a version that no log record accounts for is found") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    left.put_version(page, left.header(page).version + 1, left.verify().durability->last_lsn);
    CHECK(kinds(left.verify()) == "future_version");
}

TEST_CASE("a missing acknowledged block is a hole, a block that may have been in flight is not") {
    LeftRun left;
    const std::uint64_t hardened = left.verify().durability->hardened_block;
    const std::uint64_t last = left.verify().durability->last_block;
    REQUIRE(last > hardened);
    left.erase_block(last);
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

TEST_CASE("a log that has lost everything does not excuse changed pages") {
    LeftRun left;
    const std::vector<std::byte> zeros(left.log().size_bytes() - kPageBytes);
    left.log().write(kPageBytes, zeros.data(), zeros.size());
    const Results results = left.verify();
    CHECK(results.outcome == Outcome::failed);
    REQUIRE_FALSE(results.findings.empty());
    CHECK(results.findings[0].kind == FindingKind::wal_violation);
    // All are counted, but not all are reported one by one.
    CHECK(results.durability->wrong_pages >= 1000);
    CHECK(results.finding_count <= 1001);
}

TEST_CASE("a log of another format is not judged") {
    LeftRun left;
    left.for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        std::vector<std::byte> block(header.size_bytes);
        left.log().read(offset_bytes, block.data(), block.size());
        const std::uint16_t format = sim::kLogFormat + 1;
        std::memcpy(block.data() + offsetof(sim::LogBlockHeader, format), &format, sizeof format);
        const std::uint32_t checksum = sim::crc32c(block.data() + 4, block.size() - 4);
        std::memcpy(block.data(), &checksum, sizeof checksum);
        left.log().write(offset_bytes, block.data(), block.size());
    });
    const Results results = left.verify();
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::not_done);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("format 4") && ContainsSubstring("format 3"));
}

TEST_CASE("if the log is empty, changed pages are found even in a file that has lost its first page") {
    LeftRun left;
    const std::vector<std::byte> no_log(left.log().size_bytes() - kPageBytes);
    left.log().write(kPageBytes, no_log.data(), no_log.size());
    left.data().write(0, no_log.data(), kPageBytes);
    const Results changed = left.verify();
    REQUIRE_FALSE(changed.findings.empty());
    CHECK(changed.findings[0].kind == FindingKind::wal_violation);

    // What the run did not write proves nothing: the file may not have been created yet.
    const std::vector<std::byte> no_pages(left.data().size_bytes());
    left.data().write(0, no_pages.data(), no_pages.size());
    const std::vector<std::byte> foreign(kPageBytes, std::byte{0x5a});
    left.data().write(7 * kPageBytes, foreign.data(), kPageBytes);
    const Results unmade = left.verify();
    CHECK(kinds(unmade) == "");
    CHECK(unmade.outcome == Outcome::not_done);
}

TEST_CASE("a file that has lost its end is found") {
    LeftRun left;
    left.data().resize(left.data().size_bytes() - 10 * kPageBytes);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "lost_write");
    CHECK(results.findings[0].place.size_bytes == 10 * kPageBytes);
}

TEST_CASE("a file that has lost all of its pages is found, even if no checkpoint was completed") {
    LeftRun left(64);
    left.for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        const std::vector<std::byte> zeros(header.size_bytes);
        if (header.sequence != 1) left.log().write(offset_bytes, zeros.data(), zeros.size());
    });
    left.data().resize(0);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "lost_write");
    CHECK(results.findings[0].place.path == left.options.files[0].path);
    CHECK(results.findings[0].place.size_bytes == kPageBytes);
}

TEST_CASE("in space added by growth, unwritten pages are zeros, and anything else is found") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    constexpr std::uint64_t kInitialBytes = 8U << 20;
    options.files[0].max_size_mb = 64;
    options.files[0].increment_mb = 8;
    options.files[0].shrinkable = true;
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 4, .max_extends = 4};
    options.test_cycle_duration_s = 3;
    const Results made = run.run(options);
    REQUIRE(made.outcome == Outcome::passed);
    REQUIRE(made.files[0].grown_count > 0);
    ums::SimulatedFile& file = *run.memory.find(options.files[0].path);
    const std::uint64_t pages = file.size_bytes() / kPageBytes;
    std::uint64_t unwritten = 0;
    PageBuffer buffer;
    const std::vector<std::byte> zeros(kPageBytes);
    for (std::uint64_t page = kInitialBytes / kPageBytes; page < pages && unwritten == 0; ++page) {
        file.read(page * kPageBytes, buffer.data(), kPageBytes);
        if (std::memcmp(buffer.data(), zeros.data(), kPageBytes) == 0) unwritten = page;
    }
    REQUIRE(unwritten > 0);
    options.job = sim::Job::verify;
    CHECK(kinds(run.run(options)) == "");
    const std::string text = "somebody's mail, deleted last year";
    file.write(unwritten * kPageBytes + 100, reinterpret_cast<const std::byte*>(text.data()), text.size());
    const Results results = run.run(options);
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].place.page_id == unwritten);
    file.resize(kInitialBytes);
    CHECK(kinds(run.run(options)) == "lost_write");
}

TEST_CASE("a missing file is found if the log proves that it existed") {
    LeftRun left;
    ums::FileHandle handle;
    REQUIRE_FALSE(left.run.memory.open(left.options.files[0].path, {}, handle));
    REQUIRE_FALSE(left.run.memory.remove(handle));
    left.run.memory.close(handle);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "io_error");
    CHECK(results.findings[0].request.of_file == sim::FileRequest::open);
    CHECK(results.findings[0].place.path == left.options.files[0].path);
}

TEST_CASE("the files of a run are verified together or not at all, and an unnamed one is asked for") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 1;
    sim::FileOptions second = options.files[0];
    second.path += "2.mdx";
    options.files.push_back(second);
    REQUIRE(run.run(options).outcome == Outcome::passed);
    options.job = sim::Job::verify;
    REQUIRE(kinds(run.run(options)) == "");
    SECTION("only the first files are named") {
        options.files.pop_back();
        for (const sim::Job job : {sim::Job::verify, sim::Job::resume}) {
            options.job = job;
            const Results results = run.run(options);
            CHECK(kinds(results) == "");
            CHECK(results.outcome == Outcome::not_done);
            CHECK_THAT(results.outcome_reason, ContainsSubstring("changes of 2 data files, but only one was named: file 3 of the run"));
        }
    }
    SECTION("only the last file is named") {
        options.files.erase(options.files.begin());
        CHECK_THROWS_WITH(run.run(options), ContainsSubstring("it is file 3 of its run, but only 2 files are named"));
    }
    SECTION("the first page of one file in the place of the other's is one page that was misdirected") {
        PageBuffer page;
        run.memory.find(options.files[0].path)->read(0, page.data(), kPageBytes);
        run.memory.find(second.path)->write(0, page.data(), kPageBytes);
        const Results results = run.run(options);
        REQUIRE(kinds(results) == "misdirected_write");
        CHECK(results.findings[0].place.path == second.path);
    }
    SECTION("a named file that does not exist is a finding all the same") {
        ums::FileHandle handle;
        REQUIRE_FALSE(run.memory.open(second.path, {}, handle));
        REQUIRE_FALSE(run.memory.remove(handle));
        run.memory.close(handle);
        CHECK(kinds(run.run(options)) == "io_error");
    }
}

TEST_CASE("a page of which a write failed for a while, and was written again, is as the log says") {
    constexpr std::uint64_t kOffsetBytes = std::uint64_t{500} * kPageBytes;
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    options.stop_on_error = false;
    std::uint32_t failures = 0;  // of writes of that page alone, after which the write is not tried again
    run.storage.set_fault([&](const Recorded& request) {
        const bool holds_it = request.offset_bytes <= kOffsetBytes && kOffsetBytes < request.offset_bytes + request.size_bytes;
        const bool fails = is_write(request) && request.of_load && request.path == options.files[0].path && holds_it && failures <= 4;
        failures += fails && request.size_bytes == kPageBytes ? 1 : 0;
        return fails ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    const Results made = run.run(options);
    INFO(run.sink.text());
    REQUIRE(failures == 5);
    REQUIRE(kinds(made) == "io_error");
    PageBuffer page;
    run.memory.find(options.files[0].path)->read(kOffsetBytes, page.data(), kPageBytes);
    REQUIRE(sim::read_header(page.data()).version > 1);
    options.job = sim::Job::verify;
    CHECK(kinds(run.run(options)) == "");
}

TEST_CASE("a page of tempdb that could not be written does not prevent the verification of the other files") {
    constexpr std::uint64_t kOffsetBytes = std::uint64_t{sim::kExtentPages} * kPageBytes;
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    options.stop_on_error = false;
    options.tempdb_user.user_count = 1;
    options.tempdb_user.file_count = 1;
    options.tempdb_user.file_size_mb = 2;
    run.storage.set_fault([](const Recorded& request) {
        const bool holds_it = request.offset_bytes <= kOffsetBytes && kOffsetBytes < request.offset_bytes + request.size_bytes;
        const bool fails = is_write(request) && request.of_load && request.path.find("tempdb") != std::string::npos && holds_it;
        return fails ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    const Results made = run.run(options);
    INFO(run.sink.text());
    REQUIRE(kinds(made).find("io_error") == 0);
    options.job = sim::Job::verify;
    const Results results = run.run(options);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
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

TEST_CASE("without any file of ours there is nothing to verify") {
    VirtualRun run;
    Options options = quiet_options(VirtualRun::kFolder);
    options.job = sim::Job::verify;
    CHECK_THROWS_AS(run.run(options), sim::RefusedError);
}

TEST_CASE("a log block that is right on the first read but not on the second is read again and reported, and no page is blamed") {
    const bool stays = GENERATE(false, true);
    LeftRun left;
    const sim::DurabilityResult durability = left.verify().durability.value();
    std::uint64_t wrong_bytes = 0;  // an offset in the last block
    left.for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        if (header.sequence == durability.last_block) wrong_bytes = offset_bytes + sizeof(sim::LogBlockHeader);
    });
    // The analysis reads the log from beginning to end, then the blocks that it needs.
    std::uint32_t reads = 0;
    left.run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        const bool holds_it = wrong_bytes >= request.offset_bytes && wrong_bytes < request.offset_bytes + request.size_bytes;
        if (!path.ends_with(".ldx") || request.operation != ums::IoOperation::read || !holds_it) return;
        if (++reads == 1 || (reads > 2 && !stays)) return;
        request.segments[0].data[wrong_bytes - request.offset_bytes] ^= std::byte{1};
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].kind == FindingKind::log_block_damaged);
    CHECK(results.findings[0].place.is_log);
    CHECK(results.findings[0].transient == !stays);
}

TEST_CASE("a device that is gone while other reads are under way is one finding, and none of them is said to have succeeded later") {
    LeftRun left;
    const auto is_of_data = [&left](const std::string& path) { return path == left.options.files[0].path; };
    const std::error_code gone = std::make_error_code(std::errc::no_such_device);
    // The first read that comes back is tried again, which ends the verification; the others come back after that.
    left.run.storage.set_fault([&](const Recorded& request) {
        const bool is_tried_again = is_read(request) && is_of_data(request.path) && request.size_bytes == kPageBytes;
        return is_tried_again ? gone : std::error_code{};
    });
    std::uint32_t ranges = 0;
    left.run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        if (request.operation != ums::IoOperation::read || !is_of_data(path)) return;
        ranges += request.size_bytes > kPageBytes ? 1 : 0;
        request.error = gone;
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    CHECK(results.outcome == Outcome::failed);
    CHECK(ranges > 1);
    REQUIRE(kinds(results) == "io_error");
    CHECK_FALSE(results.findings[0].transient);
}
