#include "sim/rehearsal/fault_matching.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "sim/files/rereader.hpp"
#include "sim/limits.hpp"
#include "sim/rehearsal/fault_plan.hpp"
#include "sim/results.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

// The name of its tasks.
constexpr std::string_view kBackupUser = "Backup";

bool overlaps(const InjectedFault& fault, const Finding& finding) {
    const std::uint64_t end_bytes = finding.place.offset_bytes + std::max<std::uint64_t>(finding.place.size_bytes, kSectorBytes);
    return fault.path == finding.place.path && fault.offset_bytes < end_bytes &&
           finding.place.offset_bytes < fault.offset_bytes + fault.size_bytes;
}

bool has_right_kind(const InjectedFault& fault, const Finding& finding) {
    return fault.expected == finding.kind || fault.or_else == finding.kind;
}

// Repeats in other words what was reported: a part of a fault that was found.
bool is_repetition(const InjectedFault& fault, const Finding& finding) {
    const bool is_missing_log = finding.kind == FindingKind::log_gap || finding.kind == FindingKind::wal_violation;
    if (!fault.exposed || !is_missing_log || !is_log_fault(fault.kind) || fault.is_in_log_copy || fault.is_in_chain) return false;
    const std::uint64_t end_bytes = finding.place.offset_bytes + std::max<std::uint64_t>(finding.place.size_bytes, kSectorBytes);
    return overlaps(fault, finding) || std::any_of(fault.more.begin(), fault.more.end(), [&](const FaultRange& range) {
               return range.path == finding.place.path && range.offset_bytes < end_bytes &&
                      finding.place.offset_bytes < range.offset_bytes + range.size_bytes;
           });
}

bool is_about_requests(FindingKind kind) {
    return kind == FindingKind::io_error || kind == FindingKind::short_transfer || kind == FindingKind::stalled_io;
}

// A block that stands in the log and is wrong: unlike one that is missing, it has a place.
bool is_about_block(const Finding& finding) {
    return finding.kind == FindingKind::log_block_damaged || finding.kind == FindingKind::log_stale_block;
}

// How well a finding explains a fault; 0: not at all. If a log ends too early, the auditor may report that at any of its files. A chunk of
// the chain of backups is reported where it must be, once: it is not read again.
int fit_of(const InjectedFault& fault, const Finding& finding) {
    const bool is_sync = finding.request.of_file == FileRequest::sync;
    if (fault.is_sync || is_sync) return fault.is_sync && is_sync && fault.path == finding.place.path ? 4 : 0;
    const bool has_its_place = fault.is_in_log_copy || fault.is_in_chain || is_about_block(finding);
    const bool in_log = is_log_fault(fault.kind) && is_log_fault(finding.kind) && !has_its_place;
    if (!overlaps(fault, finding) && !in_log) return 0;
    if (has_right_kind(fault, finding)) return overlaps(fault, finding) ? 4 : 3;
    return is_about_requests(fault.kind) == is_about_requests(finding.kind) ? 2 : 1;
}

// Whether a fault that is called `passing` if a later read is right is called `staying` if none is.
bool are_names_of_one_fault(FindingKind passing, FindingKind staying) {
    if (passing == FindingKind::misdirected_read) return staying == FindingKind::misdirected_write;
    return passing == FindingKind::stale_read && (staying == FindingKind::lost_write || staying == FindingKind::reverted_page);
}

// Fewer than all re-reads: of a file that has been given up, because a sync or every access failed; of a run that is stopping, if they take
// long; and of a verification that stops.
bool is_diagnosis_broken_off(const Finding& finding, const std::vector<InjectedFault>& faults) {
    constexpr std::uint64_t kPatienceUs = 2'000'000;
    if (finding.rereads.empty() || finding.rereads.size() >= kRereadsMax) return false;
    const bool may_be_given_up = std::any_of(faults.begin(), faults.end(), [&finding](const InjectedFault& fault) {
        return fault.exposed && fault.kind == FindingKind::io_error && fault.path == finding.place.path;
    });
    return may_be_given_up || finding.rereads.back().after_us > kPatienceUs || finding.moment.phase == name_of(Phase::page_verification);
}

std::string what_is_wrong(const InjectedFault& fault, const Finding& finding, const std::vector<InjectedFault>& faults) {
    // A fault that would have passed is then reported as persistent.
    const bool may_have_passed = fault.transient && !finding.transient && is_diagnosis_broken_off(finding, faults);
    const bool is_called_so = may_have_passed && are_names_of_one_fault(fault.expected, finding.kind);
    if (!is_called_so && !has_right_kind(fault, finding)) return fmt::format("{} is expected", name_of(fault.expected));
    if (fault.transient != finding.transient && !may_have_passed) return fault.transient ? "it is transient" : "it is persistent";
    if (fault.is_warning != finding.is_warning) return fault.is_warning ? "it is a warning" : "it is a failure";
    if (fault.is_in_log_copy && finding.moment.user != kBackupUser) return "a backup read it first";
    const bool names_other = is_called_so || finding.kind == fault.kind;
    if (fault.other_path.empty() || !names_other) return {};
    const bool same = finding.other && finding.other->path == fault.other_path && finding.other->page_id == fault.other_page;
    return same ? "" : fmt::format("the other place is page {} of {}", fault.other_page, fault.other_path);
}

const Finding* best_finding(const InjectedFault& fault, const std::vector<Finding>& findings, std::vector<bool>& taken, int fit) {
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (taken[i] || fit_of(fault, findings[i]) != fit) continue;
        taken[i] = true;
        return &findings[i];
    }
    return nullptr;
}

// For each fault that the program met, the finding that belongs to it, if there is one; marks those as taken.
std::vector<const Finding*> findings_of_faults(const std::vector<InjectedFault>& faults, const std::vector<Finding>& findings,
                                               std::vector<bool>& taken) {
    std::vector<const Finding*> found(faults.size());
    // The best matches first, so that a poor one does not take a finding that belongs to another fault.
    for (int fit = 4; fit > 0; --fit) {
        for (std::size_t i = 0; i < faults.size(); ++i) {
            if (found[i] == nullptr && faults[i].exposed) found[i] = best_finding(faults[i], findings, taken, fit);
        }
    }
    return found;
}

bool has_failed_writes(const std::vector<InjectedFault>& faults) {
    return std::any_of(faults.begin(), faults.end(), [](const InjectedFault& fault) { return fault.exposed && fault.is_write; });
}

// Whether the write that should have replaced it failed for good, and that was reported: nothing is promised of its place any more.
bool is_given_up(const InjectedFault& fault, const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(), [&fault](const Finding& finding) {
        const std::uint64_t reported_ns = finding.moment.tick_ms * ums::kNsPerMs;
        const bool is_failed_write = finding.kind == FindingKind::io_error && finding.request.is_write && !finding.transient;
        return is_failed_write && overlaps(fault, finding) && fault.at_ns <= reported_ns && reported_ns <= fault.exposed_ns;
    });
}

void count_fault(const InjectedFault& fault, const Finding* found, const std::vector<InjectedFault>& faults,
                 const std::vector<Finding>& findings, MatchResult& result) {
    FaultTally& tally = result.tallies[static_cast<std::size_t>(fault.kind)];
    ++tally.injected;
    if (!fault.exposed || (found == nullptr && (fault.is_too_late || is_given_up(fault, findings)))) return;
    ++tally.exposed;
    if (found == nullptr) {
        ++tally.missed;
        result.problems.push_back("missed: " + describe(fault));
        return;
    }
    ++tally.detected;
    // Pages that should show a change from beyond the end of the log do not if their writes failed.
    const bool is_gap_instead = fault.expected == FindingKind::wal_violation && found->kind == FindingKind::log_gap;
    const std::string wrong = is_gap_instead && has_failed_writes(faults) ? "" : what_is_wrong(fault, *found, faults);
    ++(wrong.empty() ? tally.classified_right : tally.classified_wrong);
    if (!wrong.empty()) result.problems.push_back(fmt::format("named wrong, {}: {}; {}", wrong, describe(fault), describe(*found)));
}

// By a fault to which another finding belongs, or by one that nothing had to find: `is_told` marks those that have been.
bool is_explained(const Finding& finding, const std::vector<InjectedFault>& faults, std::vector<bool>& is_told) {
    for (std::size_t i = 0; i < faults.size(); ++i) {
        const InjectedFault& fault = faults[i];
        if (is_repetition(fault, finding)) return true;
        if (fault.exposed || is_told[i] || !overlaps(fault, finding)) continue;
        // The target of a misdirected write may be seen only by the search for it, and be overwritten before anything else reads it. If it
        // is another fault that only a search has seen, the re-reads show it gone: zeros in the place of a first write are then no lost
        // write.
        const bool may_be_searched_for =
            fault.kind == FindingKind::misdirected_write && fit_of(fault, finding) == 4 && what_is_wrong(fault, finding, faults).empty();
        const bool has_a_name =
            finding.kind == fault.kind || has_right_kind(fault, finding) || are_names_of_one_fault(finding.kind, fault.expected);
        const bool is_glimpse = fault.was_glimpsed && finding.transient && has_a_name;
        if (!may_be_searched_for && !is_glimpse) continue;
        is_told[i] = true;
        return true;
    }
    return false;
}

}  // namespace

std::string describe(const InjectedFault& fault) {
    const std::string exposed = fault.exposed ? fmt::format("{} ms", fault.exposed_ns / 1'000'000) : "never";
    return fmt::format("fault {}: {} ({}) at byte {} of {} (page {}), {} bytes, made in {} at {} ms, given to the program at: {}",
                       fault.number, name_of(fault.kind), fault.what, fault.offset_bytes, fault.path, fault.offset_bytes / kPageBytes,
                       fault.size_bytes, fault.phase, fault.at_ns / 1'000'000, exposed);
}

std::string describe(const Finding& finding) {
    return fmt::format("finding {}: {} ({}{}) at byte {} of {} (page {}), found in {} at {} ms by {}: {}", finding.number,
                       name_of(finding.kind), finding.transient ? "transient" : "persistent", finding.is_warning ? ", warning" : "",
                       finding.place.offset_bytes, finding.place.path, finding.place.page_id, finding.moment.phase, finding.moment.tick_ms,
                       finding.moment.user, finding.description);
}

MatchResult match_faults(const std::vector<InjectedFault>& faults, const std::vector<Finding>& findings) {
    MatchResult result;
    std::vector<bool> taken(findings.size());
    const std::vector<const Finding*> found = findings_of_faults(faults, findings, taken);
    for (std::size_t i = 0; i < faults.size(); ++i) count_fault(faults[i], found[i], faults, findings, result);
    std::vector<bool> is_told(faults.size());
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (taken[i] || is_explained(findings[i], faults, is_told)) continue;
        ++result.tallies[static_cast<std::size_t>(findings[i].kind)].false_alarms;
        result.problems.push_back("false alarm: " + describe(findings[i]));
    }
    return result;
}

bool has_failure(const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return !finding.is_warning; });
}

void add_tallies(FaultTallies& sum, const FaultTallies& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i].injected += more[i].injected;
        sum[i].exposed += more[i].exposed;
        sum[i].detected += more[i].detected;
        sum[i].classified_right += more[i].classified_right;
        sum[i].classified_wrong += more[i].classified_wrong;
        sum[i].missed += more[i].missed;
        sum[i].false_alarms += more[i].false_alarms;
    }
}

}  // namespace sim
