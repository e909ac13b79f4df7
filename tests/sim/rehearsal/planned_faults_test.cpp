// Rehearsals whose faults are planned: where they are injected, how many, and how the run must answer.
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "sim/rehearsal/rehearsal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using sim::FaultPlace;
using sim::FaultPlan;
using sim::FindingKind;
using sim::Phase;
using sim::RehearsalReport;
using sim::rehearse;

namespace {

std::string problems_of(const RehearsalReport& report) { return fmt::format("{}", fmt::join(report.match.problems, "\n")); }

}  // namespace

TEST_CASE("the same seed gives the identical run, a different seed a different one") {
    const auto plans = sim::draw_fault_plans(FindingKind::torn_page, 11);
    const RehearsalReport first = rehearse(11, plans);
    const RehearsalReport again = rehearse(11, plans);
    const RehearsalReport other = rehearse(12, plans);
    CHECK(first.request_count > 100);
    CHECK(first.trace_hash == again.trace_hash);
    CHECK(first.request_count == again.request_count);
    CHECK(first.log == again.log);
    CHECK(first.trace_hash != other.trace_hash);
}

TEST_CASE("the faults have the rate, place, phase and number of the plan") {
    FaultPlan plan{.kind = FindingKind::bit_corruption, .rate = 1, .during = Phase::final_audit, .count_max = 3};
    const RehearsalReport three = rehearse(5, {plan});
    CHECK(three.faults.size() == 3);
    CHECK(problems_of(three) == "");
    for (const sim::InjectedFault& fault : three.faults) CHECK(fault.phase == "final audit");

    plan.count_max = ~0ULL;
    plan.place = FaultPlace::first_page;
    const RehearsalReport first = rehearse(5, {plan});
    CHECK(problems_of(first) == "");
    REQUIRE(!first.faults.empty());
    for (const sim::InjectedFault& fault : first.faults) CHECK(fault.offset_bytes == 0);

    plan.place = FaultPlace::last_page;
    std::size_t last_pages = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {  // the last page of a file that has grown may be empty, with nothing to damage
        const RehearsalReport last = rehearse(seed, {plan});
        CHECK(problems_of(last) == "");
        for (const sim::InjectedFault& fault : last.faults) CHECK((fault.offset_bytes + fault.size_bytes) % (1 << 20) == 0);
        last_pages += last.faults.size();
    }
    CHECK(last_pages > 0);

    plan.place = FaultPlace::anywhere;
    plan.not_before_ns = ~0ULL;
    CHECK(rehearse(5, {plan}).faults.empty());
    plan.not_before_ns = 0;
    plan.rate = 1e-9;
    CHECK(rehearse(5, {plan}).faults.empty());
}

TEST_CASE("a fault whose page is written again before it is read does not reach the program and is not reported") {
    // A fifth of the main run's writes is lost, and bulk users overwrite some pages without reading them.
    std::uint64_t unexposed = 0;
    constexpr std::uint64_t kUsual = 100;
    for (std::uint64_t seed = 1; seed <= test::fewer_if_sanitized(kUsual); ++seed) {
        const RehearsalReport report =
            rehearse(seed, {{.kind = FindingKind::lost_write, .rate = 0.2, .during = Phase::main_run, .count_max = 20}});
        INFO("seed " << seed << "\n" << problems_of(report));
        CHECK(report.is_good());
        for (const sim::InjectedFault& fault : report.faults) unexposed += fault.exposed ? 0 : 1;
    }
    // A few runs need not have such a fault.
    if (test::fewer_if_sanitized(kUsual) == kUsual) CHECK(unexposed > 0);
}

TEST_CASE("files shrink in rehearsals, and a misdirected write then goes to no page that was cut away") {
    std::uint64_t shrunk = 0;
    for (std::uint64_t seed = 1; seed <= test::fewer_if_sanitized(200); ++seed) {
        const RehearsalReport report =
            rehearse(seed, {{.kind = FindingKind::misdirected_write, .rate = 0.1, .during = Phase::final_checkpoint, .count_max = 2}});
        INFO("seed " << seed << "\n" << problems_of(report));
        CHECK(report.is_good());
        const bool has_shrunk = fmt::format("{}", fmt::join(report.log, "\n")).find(": shrunk from ") != std::string::npos;
        if (has_shrunk && !report.faults.empty()) ++shrunk;
    }
    CHECK(shrunk > 0);
}

TEST_CASE("a failed sync is an I/O error of the storage, found once, and ends the run") {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const RehearsalReport report = rehearse(seed, {{.kind = FindingKind::io_error, .rate = 0.3, .place = FaultPlace::sync}});
        INFO("seed " << seed << "\n" << problems_of(report));
        CHECK(report.is_good());
        for (const sim::Finding& finding : report.findings) {
            CHECK(finding.kind == FindingKind::io_error);
            CHECK(finding.request.of_file == sim::FileRequest::sync);
            CHECK_FALSE(finding.transient);
        }
        CHECK(report.outcome == (report.findings.empty() ? sim::Outcome::passed : sim::Outcome::failed));
        found += report.findings.size();
    }
    CHECK(found >= 5);
}

TEST_CASE("a missing, damaged or old chunk of the backup chain is found when the backup is read back, and reported once") {
    for (const FindingKind kind : {FindingKind::log_gap, FindingKind::log_block_damaged, FindingKind::log_stale_block}) {
        std::uint64_t found = 0;
        for (std::uint64_t seed = 1; seed <= test::fewer_if_sanitized(20); ++seed) {
            const RehearsalReport report = rehearse(seed, {{.kind = kind, .rate = 0.3, .place = FaultPlace::chain, .count_max = 1}});
            INFO("ioproof rehearse --fault " << name_of(kind) << ":0.3 --place chain --seed " << seed << "\n" << problems_of(report));
            CHECK(report.is_good());
            for (const sim::InjectedFault& fault : report.faults) CHECK(fault.path.ends_with(".trn"));
            for (const sim::Finding& finding : report.findings) {
                CHECK(finding.kind == kind);
                CHECK(finding.place.path.ends_with(".trn"));
                ++found;
            }
        }
        CHECK(found > 0);
    }
}

TEST_CASE("a log block that is missing, damaged or old when a backup reads it is found by the backup, reported once, and not copied") {
    for (const FindingKind kind : {FindingKind::log_gap, FindingKind::log_block_damaged, FindingKind::log_stale_block}) {
        std::uint64_t transient = 0;
        std::uint64_t persistent = 0;
        for (std::uint64_t seed = 1; seed <= test::fewer_if_sanitized(40); ++seed) {
            const RehearsalReport report = rehearse(seed, {{.kind = kind, .rate = 0.02, .place = FaultPlace::log_backup, .count_max = 1}});
            INFO("ioproof rehearse --fault " << name_of(kind) << ":0.02 --place log_backup --seed " << seed << "\n" << problems_of(report));
            CHECK(report.is_good());
            CHECK(report.findings.size() == report.faults.size());
            for (const sim::Finding& finding : report.findings) {
                CHECK((finding.place.path == "/simulated/log.ldx" || finding.place.path == "/simulated/log2.ldx"));
                CHECK(finding.place.is_log);
                CHECK(finding.moment.user == "Backup");
                CHECK(finding.description.ends_with("A backup read it."));
                ++(finding.transient ? transient : persistent);
            }
        }
        CHECK(transient > 0);
        CHECK(persistent > 0);
    }
}
