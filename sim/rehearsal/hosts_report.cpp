#include "sim/rehearsal/hosts_report.hpp"

#include <fmt/format.h>

#include "sim/rehearsal/fault_matching.hpp"

namespace sim {

namespace {

bool is_about(const Finding& finding, const HostsFault& fault) {
    return !finding.place.is_log && finding.place.file_id == fault.file_id && finding.place.page_id == fault.page_id;
}

class HostJudge {
public:
    HostJudge(std::string_view where, const std::vector<Finding>& findings, HostsReport& report)
        : where_(where), findings_(findings), report_(report), is_explained_(findings.size()) {}

    void judge(const HostsFault& fault) {
        ++report_.tally.injected;
        const std::vector<const Finding*> found = take(fault);
        const std::string told = found.empty() ? (fault.was_given ? "MISSED" : "never given to a host") : text_of(*found.front());
        report_.text += fmt::format("  {}: {}\n", fault.what, told);
        if (!fault.was_given && found.empty()) return;
        ++report_.tally.given;
        if (found.empty()) return add_problem("missed", fault.what);
        ++report_.tally.found;
        for (const Finding* finding : found) {
            if (!fault.is_named_right(*finding)) return add_problem("named wrongly", fault.what + " is reported as " + text_of(*finding));
        }
        ++report_.tally.named_right;
    }

    void end(HostsEnd end) {
        for (std::size_t i = 0; i < findings_.size(); ++i) {
            if (!is_explained_[i]) add_false_alarm("blamed wrongly", text_of(findings_[i]));
        }
        const Outcome expected = has_failure(findings_) ? Outcome::failed : end.expected;
        if (end.outcome == expected) return;
        const bool says_too_much = end.outcome == Outcome::passed;
        if (expected == Outcome::failed) return add_false_alarm("it reported a fault, but did not fail", "");
        add_false_alarm(says_too_much ? "passed, although it could not look at all" : "its run did not reach its end", "");
    }

private:
    // The findings about the fault: the first, or all if it may be found again.
    std::vector<const Finding*> take(const HostsFault& fault) {
        std::vector<const Finding*> found;
        for (std::size_t i = 0; i < findings_.size(); ++i) {
            const bool is_it = is_about(findings_[i], fault) && (found.empty() || fault.may_be_found_again);
            if (!is_it) continue;
            is_explained_[i] = true;
            found.push_back(&findings_[i]);
        }
        return found;
    }
    void add_problem(std::string_view word, const std::string& what) { report_.problem += fmt::format("{}: {}: {}\n", where_, word, what); }
    void add_false_alarm(std::string_view word, const std::string& what) {
        ++report_.tally.false_alarms;
        add_problem(word, what);
    }

    const std::string_view where_;
    const std::vector<Finding>& findings_;
    HostsReport& report_;
    std::vector<bool> is_explained_;
};

}  // namespace

void HostsTally::add(const HostsTally& other) {
    hosts += other.hosts;
    losses += other.losses;
    injected += other.injected;
    given += other.given;
    found += other.found;
    named_right += other.named_right;
    false_alarms += other.false_alarms;
}

std::string text_of(const Finding& finding) {
    return fmt::format("{}{}, page {} of {}, LSN {:#x}: {}", name_of(finding.kind), finding.transient ? " (transient)" : "",
                       finding.place.page_id, finding.place.path, or_empty(finding.received).lsn,
                       finding.group_fact ? std::string(name_of(finding.group_fact->kind)) : "not named among hosts");
}

void judge_host(std::string_view where, std::span<const HostsFault> faults, const std::vector<Finding>& findings, HostsEnd end,
                HostsReport& report) {
    HostJudge judge(where, findings, report);
    for (const HostsFault& fault : faults) judge.judge(fault);
    judge.end(end);
}

}  // namespace sim
