// What a repair makes of pages that only the sums of the last checkpoint show to be too old, or that a cut would have taken that the system
// refused; and what it makes durable. In virtual time, on files in memory.
#include "sim/recovery/redo.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::kPageBytes;
using sim::PageHeader;
using sim::Results;

namespace {

struct LoggedChange {
    std::uint64_t lsn = 0;
    std::uint32_t page = 0;
    std::uint32_t version = 0;
};

// Of all pages but the first, as the log has them from this LSN on.
std::vector<LoggedChange> changes_from(LeftRun& left, std::uint64_t lsn) {
    std::vector<LoggedChange> changes;
    left.change_each_record([&](sim::LogRecordHeader& record, std::span<std::byte> /*body*/) {
        const bool is_wanted = LeftRun::is_change(record) && record.lsn >= lsn && record.page_id != 0;
        if (is_wanted) changes.push_back({record.lsn, record.page_id, record.version});
    });
    std::sort(changes.begin(), changes.end(), [](const LoggedChange& a, const LoggedChange& b) { return a.lsn < b.lsn; });
    return changes;
}

// Instead of the record at this LSN.
void log_size(LeftRun& left, std::uint64_t lsn, std::uint32_t old_pages, std::uint32_t pages) {
    left.change_each_record([=](sim::LogRecordHeader& record, std::span<std::byte> /*body*/) {
        if (record.lsn != lsn) return;
        record.kind = static_cast<std::uint16_t>(sim::LogRecordKind::file_resize);
        record.file_id = 1;
        record.page_id = old_pages;
        record.version = 0;
        record.page_count = pages;
    });
}

}  // namespace

TEST_CASE("a cut that the system refused takes no page from a repair, and a verification after that blames nobody") {
    LeftRun left;
    // As if the last checkpoint had never happened: the blocks from its begin on were in flight and are lost.
    const std::uint64_t end_lsn = left.durability().checkpoint_lsn;
    left.erase_blocks([end_lsn](const sim::LogBlockHeader& header) { return header.first_lsn >= end_lsn; });
    std::vector<LoggedChange> changes = changes_from(left, left.durability().checkpoint_lsn);
    REQUIRE(changes.size() > 100);
    // The last two records are of a cut of all but the first page, and of the size that the file has all the same.
    const auto pages = static_cast<std::uint32_t>(left.data().size_bytes() / kPageBytes);
    log_size(left, changes[changes.size() - 2].lsn, pages, 1);
    log_size(left, changes[changes.size() - 1].lsn, 1, pages);
    changes.resize(changes.size() - 2);
    // A change that had not been written yet.
    const auto last = std::find_if(changes.rbegin(), changes.rend(), [&left](const LoggedChange& change) {
        return change.version > 1 && left.header(change.page).lsn == change.lsn;
    });
    REQUIRE(last != changes.rend());
    left.put_version(last->page, last->version - 1, last->lsn - 1);
    REQUIRE(kinds(left.verify()) == "");
    const Results repair = left.work(sim::Job::repair);
    INFO(left.run.sink.text());
    CHECK(kinds(repair) == "");
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->pages_redone == 1);
    CHECK(left.header(last->page).version == last->version);
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("what recovery finds in a data file is made durable before a checkpoint promises it, also if each write is durable by itself") {
    const sim::Durability durability = GENERATE(sim::Durability::write_through, sim::Durability::none);
    LeftRun left(0, 0, [durability](sim::Options& options) { options.files[0].durability = durability; });
    const auto is_sync = [&left](const Recorded& request) {
        return request.operation == ums::IoOperation::sync && request.path == left.data_path();
    };
    const std::size_t before = left.run.storage.select(is_sync).size();
    CHECK(kinds(left.work(sim::Job::repair)) == "");
    CHECK(left.run.storage.select(is_sync).size() - before == (durability == sim::Durability::none ? 0U : 1U));
}

TEST_CASE("a repair rewrites the pages that the sums of their region name, with the versions that these prove") {
    const std::uint32_t count = GENERATE(1U, 2U);
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::vector<std::uint32_t> pages = left.busy_pages(count);
    const std::vector<PageHeader> headers = left.headers(pages);
    for (std::size_t i = 0; i < count; ++i) left.put_version(pages[i], headers[i].version - 1, headers[i].lsn - 1);
    const Results repair = left.work(sim::Job::repair);
    INFO(left.run.sink.text());
    CHECK(kinds(repair) == (count == 1 ? "lost_write" : "lost_write lost_write"));
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->pages_given_up == count);
    for (std::size_t i = 0; i < count; ++i) CHECK(left.header(pages[i]).version == headers[i].version);
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("a repair goes on with what later reads return of a page that came back old once, as only the sums of its region show") {
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::uint32_t page = left.busy_page();
    const PageHeader header = left.header(page);
    bool was_old = false;
    left.run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        const std::uint64_t offset_bytes = std::uint64_t{page} * kPageBytes;
        const bool is_of_data = request.operation == ums::IoOperation::read && path == left.options.files[0].path;
        if (!is_of_data || !covers(request, offset_bytes) || std::exchange(was_old, true)) return;
        const PageBuffer older({left.run_id, 1, page, header.version - 1, header.lsn - 1, 1});
        std::copy_n(older.data(), kPageBytes, request.segments[0].data + (offset_bytes - request.offset_bytes));
    });
    const Results repair = left.work(sim::Job::repair);
    INFO(left.run.sink.text());
    CHECK(kinds(repair) == "stale_read");
    CHECK(left.header(page).version == header.version);
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("pages that came back old twice are stale reads if they are right then, and a repair goes on with what came last") {
    const std::uint32_t count = GENERATE(1U, 2U);
    LeftRun left;
    left.forget_changes_before_checkpoint();
    struct OldPage {
        std::uint32_t page;
        PageHeader header;
        int reads;  // still to come back old
    };
    std::vector<OldPage> olds;
    for (std::uint32_t nth = 0; nth < count; ++nth) {
        const std::uint32_t page = left.busy_page(nth);
        olds.push_back({page, left.header(page), 2});
    }
    left.run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        if (request.operation != ums::IoOperation::read || path != left.options.files[0].path) return;
        for (OldPage& old : olds) {
            const std::uint64_t offset_bytes = std::uint64_t{old.page} * kPageBytes;
            if (!covers(request, offset_bytes) || old.reads == 0) continue;
            --old.reads;
            const PageBuffer older({left.run_id, 1, old.page, old.header.version - 1, old.header.lsn - 1, 1});
            std::copy_n(older.data(), kPageBytes, request.segments[0].data + (offset_bytes - request.offset_bytes));
        }
    });
    const Results repair = left.work(sim::Job::repair);
    INFO(left.run.sink.text());
    REQUIRE_FALSE(repair.findings.empty());
    for (const sim::Finding& finding : repair.findings) {
        CHECK(finding.kind == sim::FindingKind::stale_read);
        CHECK(finding.transient);
    }
    for (const OldPage& old : olds) CHECK(left.header(old.page).version == old.header.version);
    CHECK(kinds(left.verify()) == "");
}
