// A run, something that happens to its pages, and the findings of a verification. In virtual time, on files in memory.
#include "sim/verify/page_verification.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::kPageBytes;
using sim::Options;
using sim::Outcome;
using sim::PageHeader;
using sim::Results;

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

namespace {

// Presents the data file as a block device.
struct DataOnDevice final : ums::ForwardingStorage {
    DataOnDevice(ums::Storage& inner, std::string device_path) : ums::ForwardingStorage(inner), path(std::move(device_path)) {}
    std::error_code status(const std::string& name, ums::FileStatus& status) override {
        const std::error_code error = inner().status(name, status);
        if (name == path) status.kind = ums::FileKind::block_device;
        return error;
    }
    const std::string path;
};

}  // namespace

TEST_CASE("a device that was cut off while a run wrote its first pages holds its old data elsewhere, which is no finding") {
    LeftRun left(64);  // its log still has the first block
    // Only the first block of the log, and no page but the signature, had been written.
    left.for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        const std::vector<std::byte> zeros(header.size_bytes);
        if (header.sequence != 1) left.log().write(offset_bytes, zeros.data(), zeros.size());
    });
    left.put_version(0, 1, 0);
    const std::vector<std::byte> noise(left.data().size_bytes() - kPageBytes, std::byte{0x5a});
    left.data().write(kPageBytes, noise.data(), noise.size());
    CHECK(kinds(left.verify()) != "");
    DataOnDevice device(left.run.storage, left.options.files[0].path);
    Options options = left.options;
    options.job = sim::Job::verify;
    const Results results = sim::Simulation(options, device, left.run.clock, left.run.sink).run();
    CHECK(kinds(results) == "");
    REQUIRE(results.durability);
    CHECK(results.durability->wrong_pages == 0);
    left.options.delete_files_at_startup = false;  // likewise a file that was kept
    CHECK(kinds(left.verify()) == "");
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

TEST_CASE("a page that still holds what an earlier run left is reported with this run's version, even if its log was truncated") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const std::uint32_t version = left.header(page).version;
    left.forget_changes_before_checkpoint();
    PageBuffer older;
    sim::make_page({left.run_id + 1, 1, page, 7, 5, 1}, older.data());
    left.data().write(std::uint64_t{page} * kPageBytes, older.data(), kPageBytes);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "lost_write");
    CHECK(results.findings[0].place.page_id == page);
    REQUIRE(results.findings[0].expected);
    CHECK(results.findings[0].expected->version == version);
    // Nothing shows which of the two runs came first.
    CHECK_THAT(results.findings[0].description, ContainsSubstring("it holds version 7 of run") && !ContainsSubstring("earlier"));
}

TEST_CASE("a page that stays wrong is named by what later reads return, not by a first image that none of them returns") {
    LeftRun left(64);
    left.erase_block(left.durability().last_block);  // the end of the last checkpoint
    // One whose version is known when it is read for the first time.
    const std::uint64_t checkpoint_lsn = left.durability().checkpoint_lsn;
    std::uint32_t nth = 0;
    while (left.header(left.busy_page(nth)).lsn < checkpoint_lsn) ++nth;
    const std::uint32_t page = left.busy_page(nth);
    const std::vector<std::byte> zeros(kPageBytes);
    left.data().write(std::uint64_t{page} * kPageBytes, zeros.data(), zeros.size());
    const std::uint64_t at_bytes = std::uint64_t{page} * kPageBytes + 5000;
    bool was_read = false;
    left.run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        if (request.operation != ums::IoOperation::read || path != left.data_path() || was_read || !covers(request, at_bytes)) return;
        was_read = true;
        garble(request, at_bytes);
    });
    const Results results = left.verify();
    REQUIRE(was_read);
    REQUIRE(kinds(results) == "lost_write");
    CHECK_FALSE(results.findings[0].transient);
    CHECK(results.findings[0].place.page_id == page);
    CHECK(results.findings[0].reasoning.back() == "The first read returned another image, which was wrong, too.");
}

TEST_CASE("if each read of a page returns another page, nothing is said to have been written there") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const std::uint64_t at_bytes = std::uint64_t{page} * kPageBytes;
    const std::vector<std::byte> file = all_bytes(left.data());
    std::vector<std::uint32_t> others;
    for (std::uint32_t other = 1; other < file.size() / kPageBytes && others.size() < 20; ++other) {
        if (other != page && left.header(other).version != 0) others.push_back(other);
    }
    REQUIRE(others.size() == 20);
    std::size_t reads = 0;
    left.run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        if (request.operation != ums::IoOperation::read || path != left.data_path() || !covers(request, at_bytes)) return;
        const std::byte* const image = file.data() + std::size_t{others[reads++ % others.size()]} * kPageBytes;
        std::memcpy(request.segments[0].data + (at_bytes - request.offset_bytes), image, kPageBytes);
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(reads > 2);
    REQUIRE(kinds(results) == "misdirected_read");
    CHECK_FALSE(results.findings[0].transient);
    CHECK_THAT(results.findings[0].description, ContainsSubstring("came back. Reading again did not help."));
    CHECK(results.durability->wrong_pages == 1);
}

TEST_CASE("a damaged page, a page from another place and a page of zeros are each named") {
    LeftRun left;
    const std::uint32_t damaged = left.busy_page();
    left.flip_bit(damaged);
    CHECK(kinds(left.verify()) == "bit_corruption");

    LeftRun misplaced;
    PageBuffer buffer;
    misplaced.data().read(std::uint64_t{misplaced.busy_page(1)} * kPageBytes, buffer.data(), kPageBytes);
    misplaced.data().write(std::uint64_t{misplaced.busy_page()} * kPageBytes, buffer.data(), kPageBytes);
    const Results misdirected = misplaced.verify();
    REQUIRE(kinds(misdirected) == "misdirected_write");
    REQUIRE(misdirected.findings[0].other);
    CHECK(misdirected.findings[0].other->path == misdirected.findings[0].place.path);

    LeftRun emptied;
    const std::vector<std::byte> zeros(kPageBytes);
    emptied.data().write(std::uint64_t{emptied.busy_page()} * kPageBytes, zeros.data(), zeros.size());
    CHECK(kinds(emptied.verify()) == "lost_write");
}

TEST_CASE("wrong pages beside each other are read again at the same time, and reported in their order") {
    LeftRun left;
    constexpr std::uint32_t kFirst = 130;
    constexpr std::uint32_t kCount = 40;
    for (std::uint32_t page = kFirst; page < kFirst + kCount; ++page) left.flip_bit(page);
    const Results results = left.verify();
    REQUIRE(results.findings.size() == kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        CHECK(results.findings[i].place.page_id == kFirst + i);
        CHECK(results.findings[i].rereads.size() == 15);
    }
    CHECK(results.durability->wrong_pages == kCount);
    // One after the other, they took 19 s.
    CHECK(phase(results, sim::Phase::page_verification).duration_us < 5'000'000);
}

TEST_CASE("a page that was read again only once is not said to have been read through a newly opened file") {
    LeftRun left;
    constexpr std::uint32_t kFirst = 130;
    constexpr std::uint32_t kCount = 66;  // two more than are examined completely
    for (std::uint32_t page = kFirst; page < kFirst + kCount; ++page) left.flip_bit(page);
    const Results results = left.verify();
    REQUIRE(results.findings.size() == kCount);
    std::size_t once = 0;
    for (const Finding& finding : results.findings) {
        const auto is_about_new_file = [](const std::string& reason) { return reason.find("newly opened") != std::string::npos; };
        const bool is_said = std::any_of(finding.reasoning.begin(), finding.reasoning.end(), is_about_new_file);
        CHECK(is_said == (finding.rereads.size() == 15));
        once += finding.rereads.size() == 1 ? 1 : 0;
    }
    CHECK(once == 2);
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

TEST_CASE("a page of which a write failed for a while, and was written again, is as the log says") {
    constexpr std::uint64_t kOffsetBytes = std::uint64_t{500} * kPageBytes;
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    options.stop_on_error = false;
    std::uint32_t failures = 0;  // of writes of that page alone, after which the write is not tried again
    run.storage.set_fault([&](const Recorded& request) {
        const bool fails =
            is_write(request) && request.of_load && request.path == options.files[0].path && covers(request, kOffsetBytes) && failures <= 4;
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
        const bool fails =
            is_write(request) && request.of_load && request.path.find("tempdb") != std::string::npos && covers(request, kOffsetBytes);
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
