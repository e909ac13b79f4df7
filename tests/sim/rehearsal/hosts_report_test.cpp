// The faults that hosts were given, compared with what they found.
#include "sim/rehearsal/hosts_report.hpp"

#include "tests/support/catch.hpp"

using sim::Finding;
using sim::FindingKind;
using sim::HostsFault;
using sim::HostsReport;
using sim::HostsTally;
using sim::Outcome;

namespace {

Finding about_page(std::uint32_t page_id, FindingKind kind) {
    Finding finding;
    finding.kind = kind;
    finding.place.file_id = 1;
    finding.place.page_id = page_id;
    return finding;
}

HostsFault lost_page(std::uint32_t page_id, bool was_given) {
    HostsFault fault;
    fault.what = "a lost write";
    fault.file_id = 1;
    fault.page_id = page_id;
    fault.was_given = was_given;
    fault.is_named_right = [](const Finding& finding) { return finding.kind == FindingKind::lost_write; };
    return fault;
}

HostsReport judged(const std::vector<HostsFault>& faults, const std::vector<Finding>& findings, Outcome outcome,
                   Outcome expected = Outcome::passed) {
    HostsReport report;
    judge_host("here", faults, findings, {outcome, expected}, report);
    return report;
}

}  // namespace

TEST_CASE("a tally with a fault that was given but not found, or was named wrongly, is not good") {
    HostsTally tally{.hosts = 1, .injected = 3, .given = 2, .found = 2, .named_right = 2, .false_alarms = 0};
    CHECK(tally.is_good());
    tally.named_right = 1;
    CHECK_FALSE(tally.is_good());
    tally = {.hosts = 1, .injected = 3, .given = 2, .found = 1, .named_right = 1, .false_alarms = 0};
    CHECK_FALSE(tally.is_good());
    tally = {.hosts = 1, .injected = 0, .given = 0, .found = 0, .named_right = 0, .false_alarms = 1};
    CHECK_FALSE(tally.is_good());
}

TEST_CASE("found, missed and not given are distinguished") {
    const HostsReport report =
        judged({lost_page(3, true), lost_page(4, true), lost_page(5, false)}, {about_page(3, FindingKind::lost_write)}, Outcome::failed);
    CHECK(report.tally.injected == 3);
    CHECK(report.tally.given == 2);
    CHECK(report.tally.found == 1);
    CHECK(report.tally.named_right == 1);
    CHECK(report.tally.false_alarms == 0);
    CHECK(report.problem == "here: missed: a lost write\n");
    CHECK_THAT(report.text, ContainsSubstring("MISSED") && ContainsSubstring("never given to a host"));
}

TEST_CASE("a name that the evidence does not allow is wrong") {
    const HostsReport report = judged({lost_page(3, true)}, {about_page(3, FindingKind::stale_read)}, Outcome::failed);
    CHECK(report.tally.found == 1);
    CHECK(report.tally.named_right == 0);
    CHECK_THAT(report.problem, ContainsSubstring("named wrongly"));
}

TEST_CASE("an unexplained finding, a second one for the same fault, and a run that broke off are false alarms") {
    CHECK(judged({}, {about_page(3, FindingKind::lost_write)}, Outcome::failed).tally.false_alarms == 1);
    CHECK(judged({}, {}, Outcome::not_done).tally.false_alarms == 1);
    const std::vector<Finding> twice{about_page(3, FindingKind::lost_write), about_page(3, FindingKind::lost_write)};
    CHECK(judged({lost_page(3, true)}, twice, Outcome::failed).tally.false_alarms == 1);
    HostsFault changing = lost_page(3, true);
    changing.may_be_found_again = true;
    CHECK(judged({changing}, twice, Outcome::failed).tally.is_good());
}

TEST_CASE("a host that could not look at all must not report that all was right, but may report faults") {
    CHECK(judged({}, {}, Outcome::not_done, Outcome::not_done).tally.is_good());
    const HostsReport report = judged({}, {}, Outcome::passed, Outcome::not_done);
    CHECK(report.tally.false_alarms == 1);
    CHECK_THAT(report.problem, ContainsSubstring("could not look at all"));
    CHECK(judged({lost_page(3, true)}, {about_page(3, FindingKind::lost_write)}, Outcome::failed, Outcome::not_done).tally.is_good());
}

TEST_CASE("a run that reports a fault must fail, whatever it was to do otherwise") {
    const std::vector<Finding> found{about_page(3, FindingKind::lost_write)};
    CHECK(judged({lost_page(3, true)}, found, Outcome::failed).problem.empty());
    for (const Outcome outcome : {Outcome::passed, Outcome::not_done, Outcome::stopped}) {
        CHECK_THAT(judged({lost_page(3, true)}, found, outcome, outcome).problem, ContainsSubstring("did not fail"));
    }
    // Nothing that has to be explained was found here, but elsewhere it was.
    CHECK(judged({}, {}, Outcome::failed, Outcome::failed).problem.empty());
    CHECK_FALSE(judged({}, {}, Outcome::passed, Outcome::failed).problem.empty());
}
