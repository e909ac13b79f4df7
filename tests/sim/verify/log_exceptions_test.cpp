// What the last checkpoint of a run excepts from its promises, and what a verification makes of it. In virtual time, on files in memory.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/verify/log_analysis.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::kPageBytes;

namespace {

// As if more pages were unknown when the last checkpoint ended than it names.
void except_all_pages(LeftRun& left) {
    left.change_each_record([](const sim::LogRecordHeader& record, std::span<std::byte> body) {
        if (record.kind != static_cast<std::uint16_t>(sim::LogRecordKind::checkpoint_end)) return;
        const std::uint32_t unknown_count = sim::kTooManyUnknown;
        std::memcpy(body.data() + offsetof(sim::CheckpointEnd, unknown_count), &unknown_count, sizeof unknown_count);
    });
}

// As if a write of the page had failed before an earlier checkpoint: its changes before the last one become exceptions. Returns how many.
std::uint32_t except_page_earlier(LeftRun& left, std::uint32_t page) {
    const std::uint64_t begin_lsn = left.durability().checkpoint_lsn;
    std::uint32_t excepted = 0;
    left.change_each_record([&](sim::LogRecordHeader& record, std::span<std::byte> /*body*/) {
        if (!LeftRun::is_change(record) || record.page_id != page || record.lsn >= begin_lsn) return;
        record.kind = static_cast<std::uint16_t>(sim::LogRecordKind::page_unknown);
        ++excepted;
    });
    return excepted;
}

}  // namespace

TEST_CASE("what an earlier checkpoint has excepted from its promises is promised by the last one") {
    LeftRun left(64);  // of which everything is still there
    const std::uint32_t page = left.busy_page();
    const sim::PageHeader header = left.header(page);
    REQUIRE(except_page_earlier(left, page) > 0);
    REQUIRE(kinds(left.verify()) == "");
    left.put_version(page, header.version - 2, header.lsn - 1);
    const sim::Results results = left.verify();
    INFO(left.run.sink.text());
    CHECK(kinds(results) == "lost_write");
    REQUIRE(results.durability);
    CHECK(results.durability->pages_released == 0);
}

TEST_CASE("a page that is too old is not blamed on the storage if the checkpoint promises nothing about any page") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const sim::PageHeader header = left.header(page);
    left.put_version(page, header.version - 2, header.lsn - 1);
    REQUIRE(kinds(left.verify()) == "lost_write");
    except_all_pages(left);
    const sim::Results results = left.verify();
    INFO(left.run.sink.text());
    CHECK(kinds(results) == "");
    REQUIRE(results.durability);
    CHECK(results.durability->pages_released == left.data().size_bytes() / kPageBytes);
}

TEST_CASE("a page without a promise may hold what a kept file held before the run, whatever the sums of its region say") {
    LeftRun left;
    left.forget_changes_before_checkpoint();
    except_all_pages(left);
    const std::vector<std::uint32_t> pages = left.busy_pages(2);
    const std::vector<std::byte> noise(kPageBytes, std::byte{0x5a});
    left.data().write(std::uint64_t{pages[0]} * kPageBytes, noise.data(), noise.size());
    const sim::Results in_new_file = left.verify();
    CHECK(in_new_file.findings.size() == 1);
    left.options.delete_files_at_startup = false;
    const sim::Results results = left.verify();
    INFO(left.run.sink.text());
    CHECK(kinds(results) == "");
    left.flip_bit(pages[1]);  // what the run has written must be undamaged
    CHECK(kinds(left.verify()) == "bit_corruption");
}
