// The judge of the findings must itself be able to reject one.
#include "sim/rehearsal/fault_matching.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "sim/limits.hpp"
#include "sim/results.hpp"
#include "tests/support/catch.hpp"

using sim::Finding;
using sim::FindingKind;
using sim::InjectedFault;
using sim::kPageBytes;
using sim::match_faults;

namespace {

InjectedFault fault_at(std::uint32_t page, FindingKind kind) {
    InjectedFault fault;
    fault.kind = fault.expected = kind;
    fault.path = "a.mdx";
    fault.offset_bytes = std::uint64_t{page} * kPageBytes;
    fault.size_bytes = kPageBytes;
    fault.exposed = true;
    return fault;
}

Finding finding_at(std::uint32_t page, FindingKind kind) {
    Finding finding;
    finding.kind = kind;
    finding.place.path = "a.mdx";
    finding.place.page_id = page;
    finding.place.offset_bytes = std::uint64_t{page} * kPageBytes;
    finding.place.size_bytes = kPageBytes;
    return finding;
}

const sim::FaultTally& tally_of(const sim::MatchResult& match, FindingKind kind) { return match.tallies[static_cast<std::size_t>(kind)]; }

}  // namespace

TEST_CASE("one finding of the right kind in the right place is right") {
    const auto match = match_faults({fault_at(7, FindingKind::torn_page)}, {finding_at(7, FindingKind::torn_page)});
    CHECK(match.problems.empty());
    const sim::FaultTally& tally = tally_of(match, FindingKind::torn_page);
    CHECK(tally.injected == 1);
    CHECK(tally.exposed == 1);
    CHECK(tally.detected == 1);
    CHECK(tally.classified_right == 1);
}

TEST_CASE("a fault is not missed if a write that failed for good should have replaced it before the program met it") {
    InjectedFault fault = fault_at(0, FindingKind::misdirected_write);
    fault.at_ns = 1'528'000'000;
    fault.exposed_ns = 6'752'000'000;
    InjectedFault failing = fault_at(0, FindingKind::io_error);
    failing.is_write = true;
    Finding failed = finding_at(0, FindingKind::io_error);
    failed.place.size_bytes = 24 * kPageBytes;
    failed.request.is_write = true;
    failed.moment.tick_ms = 4914;
    std::uint64_t expected = 1;
    SECTION("as it is") { expected = 0; }
    SECTION("the write was repeated") { failed.transient = failing.transient = true; }
    SECTION("a read failed") { failed.request.is_write = failing.is_write = false; }
    SECTION("another page") { failed.place.offset_bytes = failing.offset_bytes = kPageBytes; }
    SECTION("the fault was made later") { fault.at_ns = 5'000'000'000; }
    SECTION("the program met it before") { fault.exposed_ns = 4'000'000'000; }
    CHECK(tally_of(match_faults({fault, failing}, {failed}), FindingKind::misdirected_write).missed == expected);
}

TEST_CASE("an unreported fault is missed, unless it never reached the program") {
    InjectedFault fault = fault_at(7, FindingKind::torn_page);
    CHECK(tally_of(match_faults({fault}, {}), FindingKind::torn_page).missed == 1);
    fault.exposed = false;
    const auto match = match_faults({fault}, {});
    CHECK(match.problems.empty());
    CHECK(tally_of(match, FindingKind::torn_page).injected == 1);
    CHECK(tally_of(match, FindingKind::torn_page).missed == 0);
}

TEST_CASE("a finding that no exposed fault explains is a false alarm, and so is a second one for the same fault") {
    InjectedFault fault = fault_at(7, FindingKind::torn_page);
    const Finding finding = finding_at(7, FindingKind::torn_page);
    CHECK(tally_of(match_faults({}, {finding}), FindingKind::torn_page).false_alarms == 1);
    CHECK(tally_of(match_faults({fault}, {finding, finding}), FindingKind::torn_page).false_alarms == 1);
    CHECK(tally_of(match_faults({fault}, {finding_at(8, FindingKind::torn_page)}), FindingKind::torn_page).missed == 1);
    fault.exposed = false;
    CHECK(tally_of(match_faults({fault}, {finding}), FindingKind::torn_page).false_alarms == 1);
}

TEST_CASE("the other end of a misdirected write may be found by the search alone, if it is named correctly") {
    InjectedFault fault = fault_at(7, FindingKind::misdirected_write);
    fault.exposed = false;
    fault.other_path = "a.mdx";
    fault.other_page = 9;
    Finding finding = finding_at(7, FindingKind::misdirected_write);
    finding.other = sim::PagePlace{.path = "a.mdx", .page_id = 9};
    CHECK(match_faults({fault}, {finding}).problems.empty());
    CHECK(match_faults({fault}, {finding, finding}).problems.size() == 1);
    finding.other->page_id = 10;
    CHECK(match_faults({fault}, {finding}).problems.size() == 1);
    CHECK(match_faults({fault}, {finding_at(7, FindingKind::misdirected_read)}).problems.size() == 1);
}

TEST_CASE("a fault that only a search has seen before it was overwritten may be found, as one that passed") {
    InjectedFault fault = fault_at(7, FindingKind::zeroed_page);
    fault.exposed = false;
    Finding finding = finding_at(7, FindingKind::zeroed_page);
    finding.transient = true;
    CHECK(match_faults({fault}, {finding}).problems.size() == 1);
    fault.was_glimpsed = true;
    CHECK(match_faults({fault}, {finding}).problems.empty());
    fault.expected = FindingKind::lost_write;  // if it had stayed
    CHECK(match_faults({fault}, {finding}).problems.empty());
    CHECK(match_faults({fault}, {}).problems.empty());
    Finding stale = finding_at(7, FindingKind::stale_read);
    stale.transient = true;
    CHECK(match_faults({fault}, {stale}).problems.empty());
    CHECK(match_faults({fault}, {finding, finding}).problems.size() == 1);
    finding.transient = false;
    CHECK(match_faults({fault}, {finding}).problems.size() == 1);
    CHECK(match_faults({fault}, {finding_at(7, FindingKind::torn_page)}).problems.size() == 1);
}

TEST_CASE("a finding with the wrong kind, persistence, severity or other place counts as named wrongly") {
    const auto wrong_of = [](const InjectedFault& fault, const Finding& finding) {
        const auto match = match_faults({fault}, {finding});
        return match.problems.size() == 1 && tally_of(match, fault.kind).classified_wrong == 1 && tally_of(match, fault.kind).detected == 1;
    };
    CHECK(wrong_of(fault_at(7, FindingKind::torn_page), finding_at(7, FindingKind::lost_write)));
    Finding transient = finding_at(7, FindingKind::torn_page);
    transient.transient = true;
    CHECK(wrong_of(fault_at(7, FindingKind::torn_page), transient));
    Finding warning = finding_at(7, FindingKind::stalled_io);
    warning.is_warning = true;
    CHECK(wrong_of(fault_at(7, FindingKind::stalled_io), warning));

    InjectedFault fault = fault_at(7, FindingKind::misdirected_write);
    fault.other_path = "a.mdx";
    fault.other_page = 9;
    Finding finding = finding_at(7, FindingKind::misdirected_write);
    CHECK(wrong_of(fault, finding));
    finding.other = sim::PagePlace{1, "a.mdx", 8, 1};
    CHECK(wrong_of(fault, finding));
    finding.other->page_id = 9;
    CHECK(!wrong_of(fault, finding));
}

TEST_CASE("the name that the evidence allows is expected, and if evidence is lost either name will do") {
    InjectedFault fault = fault_at(7, FindingKind::zeroed_page);
    fault.expected = FindingKind::lost_write;
    CHECK(match_faults({fault}, {finding_at(7, FindingKind::lost_write)}).problems.empty());
    CHECK(!match_faults({fault}, {finding_at(7, FindingKind::zeroed_page)}).problems.empty());
    fault.or_else = FindingKind::zeroed_page;
    CHECK(match_faults({fault}, {finding_at(7, FindingKind::zeroed_page)}).problems.empty());
}

TEST_CASE("findings are matched to the faults that they name, whatever the order") {
    // The failing request covers the torn page.
    InjectedFault request = fault_at(0, FindingKind::io_error);
    request.size_bytes = 16 * kPageBytes;
    const std::vector<InjectedFault> faults{request, fault_at(7, FindingKind::torn_page)};
    const auto match = match_faults(faults, {finding_at(7, FindingKind::torn_page), finding_at(3, FindingKind::io_error)});
    CHECK(match.problems.empty());
}

TEST_CASE("a wrong log block must be found in its place, a log that ends too early may be reported elsewhere in the log") {
    for (const FindingKind kind : {FindingKind::log_block_damaged, FindingKind::log_stale_block}) {
        CHECK(match_faults({fault_at(7, kind)}, {finding_at(7, kind)}).problems.empty());
        const auto match = match_faults({fault_at(7, kind)}, {finding_at(8, kind)});
        CHECK(tally_of(match, kind).missed == 1);
        CHECK(tally_of(match, kind).false_alarms == 1);
    }
    for (const FindingKind kind : {FindingKind::log_gap, FindingKind::wal_violation}) {
        CHECK(match_faults({fault_at(7, kind)}, {finding_at(8, kind)}).problems.empty());
    }
}

TEST_CASE("a chunk of a chain of backups must be found once, in its place") {
    for (const FindingKind kind : {FindingKind::log_gap, FindingKind::log_block_damaged, FindingKind::log_stale_block}) {
        InjectedFault fault = fault_at(7, kind);
        fault.is_in_chain = true;
        CHECK(match_faults({fault}, {finding_at(7, kind)}).problems.empty());
        CHECK(tally_of(match_faults({fault}, {finding_at(8, kind)}), kind).missed == 1);
        CHECK(tally_of(match_faults({fault}, {finding_at(7, kind), finding_at(7, kind)}), kind).false_alarms == 1);
    }
}

TEST_CASE("a block that a backup read must be found once, by the backup, in its place") {
    InjectedFault fault = fault_at(7, FindingKind::log_gap);
    fault.is_in_log_copy = true;
    Finding finding = finding_at(7, FindingKind::log_gap);
    finding.moment.user = "Backup";
    CHECK(match_faults({fault}, {finding}).problems.empty());
    CHECK(tally_of(match_faults({fault}, {finding, finding}), FindingKind::log_gap).false_alarms == 1);
    finding.moment.user = "Final Audit";
    CHECK(tally_of(match_faults({fault}, {finding}), FindingKind::log_gap).classified_wrong == 1);
    finding = finding_at(8, FindingKind::log_gap);
    finding.moment.user = "Backup";
    CHECK(tally_of(match_faults({fault}, {finding}), FindingKind::log_gap).missed == 1);
}

TEST_CASE("a diagnosis that was broken off may call a transient fault persistent, a complete one may not") {
    InjectedFault fault = fault_at(7, FindingKind::misdirected_read);
    fault.transient = true;
    fault.other_path = "a.mdx";
    fault.other_page = 9;
    Finding finding = finding_at(7, FindingKind::misdirected_write);
    finding.other = sim::PagePlace{.path = "a.mdx", .page_id = 9};
    const auto problems_of = [&fault](const Finding& found) { return match_faults({fault}, {found}).problems.size(); };
    CHECK(problems_of(finding) == 1);
    finding.rereads.resize(1);
    finding.rereads.back().after_us = 2'000'001;
    CHECK(problems_of(finding) == 0);
    finding.other->page_id = 10;
    CHECK(problems_of(finding) == 1);
    finding.other->page_id = 9;
    finding.rereads.resize(15);
    finding.rereads.back().after_us = 2'000'001;
    CHECK(problems_of(finding) == 1);
    Finding other = finding_at(7, FindingKind::lost_write);
    other.rereads.resize(1);
    other.rereads.back().after_us = 2'000'001;
    CHECK(problems_of(other) == 1);
}

TEST_CASE("a diagnosis is broken off if its file was given up, not if all is well") {
    InjectedFault fault = fault_at(7, FindingKind::stale_read);
    fault.transient = true;
    Finding finding = finding_at(7, FindingKind::lost_write);
    finding.rereads.resize(1);
    InjectedFault sync = fault_at(0, FindingKind::io_error);
    sync.is_sync = true;
    Finding unsynced = finding_at(0, FindingKind::io_error);
    unsynced.request.of_file = sim::FileRequest::sync;
    CHECK(match_faults({fault}, {finding}).problems.size() == 1);
    CHECK(match_faults({fault, sync}, {finding, unsynced}).problems.empty());
    sync.path = unsynced.place.path = "b.mdx";
    CHECK(match_faults({fault, sync}, {finding, unsynced}).problems.size() == 1);
    finding.moment.phase = name_of(sim::Phase::page_verification);
    CHECK(match_faults({fault}, {finding}).problems.empty());
}

TEST_CASE("a log that ends too early may be reported as a gap if the writes that would have shown more failed") {
    const InjectedFault log = fault_at(7, FindingKind::wal_violation);
    const Finding gap = finding_at(7, FindingKind::log_gap);
    CHECK(match_faults({log}, {gap}).problems.size() == 1);
    InjectedFault failing = fault_at(30, FindingKind::io_error);
    CHECK(match_faults({log, failing}, {gap, finding_at(30, FindingKind::io_error)}).problems.size() == 1);
    failing.is_write = true;
    CHECK(match_faults({log, failing}, {gap, finding_at(30, FindingKind::io_error)}).problems.empty());
}
