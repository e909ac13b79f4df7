// Regions of pages that differ from the sums of the last checkpoint. In virtual time, on files in memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/verify/page_verification.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::kPageBytes;
using sim::PageHeader;
using sim::Results;

TEST_CASE("two reverted pages of a region are named by its sums, and no page between them is blamed") {
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::uint32_t first = left.busy_page();
    std::uint32_t second = left.busy_page(1);
    for (std::uint32_t nth = 2; second % 2 != first % 2; ++nth) second = left.busy_page(nth);
    REQUIRE(first / 64 == second / 64);
    const std::uint32_t versions[] = {left.header(first).version, left.header(second).version};
    for (const std::uint32_t page : {first, second}) left.put_version(page, left.header(page).version - 1, left.header(page).lsn - 1);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "lost_write lost_write");
    for (const std::size_t i : {0U, 1U}) {
        CHECK(results.findings[i].place.page_id == (i == 0 ? first : second));
        CHECK(results.findings[i].place.size_bytes == kPageBytes);
        REQUIRE(results.findings[i].expected);
        CHECK(results.findings[i].expected->version == versions[i]);
    }
    CHECK(results.durability->wrong_pages == 2);
}

TEST_CASE("of two reverted pages that the sums name, one that then cannot be read has no other finding, and its region none") {
    const bool are_both_unreadable = GENERATE(false, true);
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::vector<std::uint32_t> pages = left.busy_pages(2);
    REQUIRE(pages[0] / 64 == pages[1] / 64);
    for (const std::uint32_t page : pages) left.put_version(page, left.header(page).version - 1, left.header(page).lsn - 1);
    // With its neighbours, each comes.
    left.fail_data_reads([&](const Recorded& request) {
        const auto is_of = [&request](std::uint32_t page) { return covers(request, std::uint64_t{page} * kPageBytes); };
        return request.size_bytes == kPageBytes && (is_of(pages[0]) || (are_both_unreadable && is_of(pages[1])));
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == (are_both_unreadable ? "io_error io_error" : "io_error lost_write"));
    for (const std::size_t i : {0U, 1U}) {
        CHECK(results.findings[i].place.page_id == pages[i]);
        CHECK(results.findings[i].place.size_bytes == kPageBytes);
    }
    CHECK(results.durability->wrong_pages == (are_both_unreadable ? 0U : 1U));
}

TEST_CASE("three lost pages of a region are one finding about it") {
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::vector<std::byte> zeros(kPageBytes);
    for (const std::uint32_t page : {69U, 74U, 80U}) left.data().write(std::uint64_t{page} * kPageBytes, zeros.data(), zeros.size());
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(kinds(results) == "lost_write");
    CHECK(results.findings[0].place.page_id == 64);
    CHECK(results.findings[0].place.size_bytes == 64 * kPageBytes);
}

TEST_CASE("an old page that came back once is a stale read, even if only the sums of its region show that it was old") {
    const std::uint32_t count = GENERATE(1U, 2U);
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::vector<std::uint32_t> pages = left.busy_pages(count);
    REQUIRE(pages.front() / 64 == pages.back() / 64);
    const std::vector<PageHeader> headers = left.headers(pages);
    std::set<std::uint32_t> seen;
    left.run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        if (request.operation != ums::IoOperation::read || path != left.options.files[0].path) return;
        for (std::size_t i = 0; i < pages.size(); ++i) {
            const std::uint64_t offset_bytes = std::uint64_t{pages[i]} * kPageBytes;
            if (!covers(request, offset_bytes) || !seen.insert(pages[i]).second) continue;
            PageBuffer older;
            sim::make_page({left.run_id, 1, pages[i], headers[i].version - 1, headers[i].lsn - 1, 1}, older.data());
            std::memcpy(request.segments[0].data + (offset_bytes - request.offset_bytes), older.data(), kPageBytes);
        }
    });
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(seen.size() == count);
    REQUIRE(kinds(results) == "stale_read");
    CHECK(results.findings[0].transient);
    CHECK(results.findings[0].place.page_id == pages.front() / 64 * 64);
    CHECK(results.durability->wrong_pages == 0);
}

TEST_CASE("of many regions that differ from their sums, the first are read again, and the others are reported as they came") {
    constexpr std::uint32_t kRegionPages = sim::kRegionPagesMin;
    constexpr std::uint32_t kReadAgain = 64;
    constexpr std::uint32_t kLost = kReadAgain + 2;
    LeftRun left(0, 34);
    left.forget_changes_before_checkpoint();
    const std::vector<std::byte> zeros(kPageBytes);
    for (std::uint32_t region = 0; region < kLost; ++region) {
        left.data().write((std::uint64_t{region} * kRegionPages + 5) * kPageBytes, zeros.data(), zeros.size());
    }
    const Results results = left.verify();
    REQUIRE(results.findings.size() == kLost);
    CHECK(results.durability->regions_compared == 34 * ums::kMb / kPageBytes / kRegionPages);
    CHECK(results.durability->wrong_pages == kLost);
    for (const Finding& finding : results.findings) {
        const bool is_read_again = finding.place.page_id < kReadAgain * kRegionPages;
        CHECK(finding.place.size_bytes == (is_read_again ? 1U : kRegionPages) * kPageBytes);
        CHECK(finding.reads == (is_read_again ? 16U : 1U));
        const auto is_doubt = [](const std::string& reason) { return reason.find("not certain") != std::string::npos; };
        CHECK(std::any_of(finding.reasoning.begin(), finding.reasoning.end(), is_doubt) == !is_read_again);
    }
}
