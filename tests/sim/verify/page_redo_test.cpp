// What is said of recovery about pages that lack acknowledged writes.
#include "sim/verify/page_redo.hpp"

#include <cstdint>

#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::PageRedo;
using sim::testing::PageBuffer;

namespace {

constexpr std::uint64_t kRedoneRun = 0x1122334455667788;

PageRedo redo_noted(const PageBuffer& left, const sim::ProvenPage& page) {
    const sim::RecoveredLog log{.run_id = kRedoneRun, .begin_lsn = 300, .last_lsn = 900};
    sim::Finding finding;
    finding.kind = sim::FindingKind::lost_write;
    sim::note_redo(finding, left.data(), page, log);
    CHECK(finding.reasoning.size() == (finding.redo == PageRedo::none ? 0U : 1U));
    return finding.redo;
}

}  // namespace

TEST_CASE("recovery makes again what the log still has of a page, and cannot make later changes on a page that is older") {
    // At the begin of the checkpoint it had version 4; the log has versions 5 to 7, and a ledger was promised 6.
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 4, .newest = 7, .has_changed = 1}, .promised = {6, 0x1234}};
    const PageBuffer fourth({kRedoneRun, 1, 9, 4, 200, 1});
    const PageBuffer third({kRedoneRun, 1, 9, 3, 100, 1});
    const PageBuffer zeros;
    CHECK(redo_noted(fourth, page) == PageRedo::complete);
    CHECK(redo_noted(third, page) == PageRedo::refused);
    CHECK(redo_noted(zeros, page) == PageRedo::refused);

    SECTION("the log does not reach to what was promised") {
        page.promised.version = 8;
        CHECK(redo_noted(fourth, page) == PageRedo::none);
    }
    SECTION("the page has not changed since the checkpoint began") {
        page.bound.has_changed = 0;
        CHECK(redo_noted(third, page) == PageRedo::none);
    }
    SECTION("the checkpoint promised nothing about the page") {
        page.bound.is_released = 1;
        CHECK(redo_noted(fourth, page) == PageRedo::none);
    }
    SECTION("another run's page is there") {
        const PageBuffer other({kRedoneRun + 1, 1, 9, 5, 400, 1});
        CHECK(redo_noted(other, page) == PageRedo::none);
    }
    SECTION("the page had never been written before the checkpoint began") {
        page.bound.least = 0;
        CHECK(redo_noted(zeros, page) == PageRedo::complete);
    }
}

TEST_CASE("nothing is said of recovery about what is no lost write") {
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 4, .newest = 7, .has_changed = 1}};
    const PageBuffer third({kRedoneRun, 1, 9, 3, 100, 1});
    sim::Finding finding;
    finding.kind = sim::FindingKind::stale_read;
    sim::note_redo(finding, third.data(), page, {.run_id = kRedoneRun, .last_lsn = 900});
    CHECK(finding.redo == PageRedo::none);
    CHECK(finding.reasoning.empty());
}
