#include "reports/report_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/finding_text.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "sim/page/page_layout.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using Align = Table::Align;

// Paths and findings matter more than the width of a terminal: their facts are never cut, but may take several lines.
constexpr std::size_t kFindingsColumns = 100;

// Zeros are noise in a table.
std::string count_or_dash(std::uint64_t count) { return count == 0 ? "-" : count_text(count); }
std::string size_or_dash(std::uint64_t size_bytes) { return size_bytes == 0 ? "-" : size_text(size_bytes); }

std::string mb_rate_or_dash(std::uint64_t size_bytes, std::uint64_t duration_us) {
    return size_bytes == 0 || duration_us == 0 ? "-" : mb_rate_text(size_bytes, duration_us);
}

std::string average_text(std::uint64_t total_us, std::uint64_t count) { return latency_text(count == 0 ? 0 : total_us * 1000 / count); }

// "300 s" rather than "5 min 00 s": columns are scarce.
std::string phase_time_text(std::uint64_t duration_us) {
    constexpr std::uint64_t kUsPerS = 1'000'000;
    if (duration_us < 60 * kUsPerS || duration_us >= 1000 * kUsPerS) return duration_text(duration_us);
    return fmt::format("{} s", duration_us / kUsPerS);
}

std::vector<sim::PhaseResult> summed_over_cycles(const std::vector<sim::PhaseResult>& phases) {
    std::vector<sim::PhaseResult> sums;
    for (const sim::PhaseResult& phase : phases) {
        const auto same = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.phase == phase.phase; });
        if (same == sums.end()) {
            sums.push_back(phase);
        } else {
            *same += phase;
        }
    }
    return sums;
}

// Tasks that wait for work, not for the storage or for other tasks.
bool is_idle_wait(const std::string& type) {
    static constexpr std::array<std::string_view, 6> kIdle{"SLEEP_TASK",      "LAZYWRITER_SLEEP", "CHECKPOINT_QUEUE",
                                                           "DIRTY_PAGE_POLL", "LOGMGR_QUEUE",     "TASK_JOIN"};
    return std::find(kIdle.begin(), kIdle.end(), type) != kIdle.end();
}

// About the data only; the verdict's grade is about the speed.
std::string data_text(const sim::FileResult& file, sim::Outcome outcome) {
    if (file.findings > 0) return fmt::format("BAD: {}", count_text(file.findings));
    if (outcome != sim::Outcome::passed) return "nothing found";
    if (file.pages_verified > 0) return "right";
    // Only the part of a log that is still in use at the end is read back.
    return file.is_log ? "no errors" : "not verified";
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{:.1f} %", std::min(100.0, 100.0 * static_cast<double>(part) / static_cast<double>(whole)));
}

// The average, least and greatest number of request blocks in the main run. The final summary has the last one.
std::string blocks_text(const sim::FileResult& file) {
    if (file.request_blocks_max == 0) return count_text(file.request_blocks);
    std::string mean = count_text(static_cast<std::uint64_t>(std::llround(file.request_blocks_mean)));
    if (file.request_blocks_min == file.request_blocks_max) return mean;
    return fmt::format("{} ({}-{})", mean, file.request_blocks_min, file.request_blocks_max);
}

void add_scheduler(Table& table, const std::string& name, const sim::SchedulerResult& scheduler, std::uint64_t duration_us) {
    table.add_row({name, count_text(scheduler.switches), count_text(scheduler.yields), count_text(scheduler.quantum_overruns),
                   percent_text(scheduler.idle_us, duration_us), count_text(scheduler.io_requests)});
}

// Findings of one kind on neighboring pages of a file, ascending.
using FindingRun = std::vector<const sim::Finding*>;

bool continues(const sim::Finding& last, const sim::Finding& next) {
    return !next.place.is_log && next.request.of_file == sim::FileRequest::none && next.kind == last.kind &&
           next.transient == last.transient && next.place.file_id == last.place.file_id && next.request.is_write == last.request.is_write &&
           next.place.page_id == last.place.page_id + 1;
}

const sim::Finding& found_first(const FindingRun& run) {
    return **std::min_element(run.begin(), run.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
}

// In the order of their first findings.
std::vector<FindingRun> finding_runs(const std::vector<sim::Finding>& findings) {
    FindingRun sorted;
    for (const sim::Finding& finding : findings) {
        if (!finding.is_warning) sorted.push_back(&finding);
    }
    const auto kind = [](const sim::Finding* finding) {
        return std::tuple(finding->place.file_id, finding->kind, finding->transient, finding->request.is_write);
    };
    const auto page = [](const sim::Finding* finding) { return finding->place.page_id; };
    std::stable_sort(sorted.begin(), sorted.end(), [&](const auto* a, const auto* b) {
        return std::tuple(kind(a), page(a), a->number) < std::tuple(kind(b), page(b), b->number);
    });
    // A page that is found again belongs to another row, together with its neighbors that are found again.
    std::vector<std::pair<std::size_t, const sim::Finding*>> with_earlier;  // how often the page had been found before
    for (const sim::Finding* finding : sorted) {
        const sim::Finding* const last = with_earlier.empty() ? nullptr : with_earlier.back().second;
        const bool is_again = last != nullptr && kind(last) == kind(finding) && page(last) == page(finding);
        with_earlier.emplace_back(is_again ? with_earlier.back().first + 1 : 0, finding);
    }
    std::stable_sort(with_earlier.begin(), with_earlier.end(), [&](const auto& a, const auto& b) {
        return std::tuple(kind(a.second), a.first, page(a.second)) < std::tuple(kind(b.second), b.first, page(b.second));
    });
    std::vector<FindingRun> runs;
    for (const auto& [earlier, finding] : with_earlier) {
        if (runs.empty() || !continues(*runs.back().back(), *finding)) runs.emplace_back();
        runs.back().push_back(finding);
    }
    std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return found_first(a).number < found_first(b).number; });
    return runs;
}

// The first rows, and the first of each kind that is not among them: a grave finding must not hide behind many small ones.
std::vector<const FindingRun*> listed_runs(const std::vector<FindingRun>& runs) {
    std::vector<const FindingRun*> listed;
    std::set<sim::FindingKind> kinds;
    for (const FindingRun& run : runs) {
        const bool is_new_kind = kinds.insert(run.front()->kind).second;
        if (listed.size() < kFindingsListed || is_new_kind) listed.push_back(&run);
    }
    return listed;
}

// The titles of these kinds imply it.
bool says_transient(sim::FindingKind kind) { return kind == sim::FindingKind::stale_read || kind == sim::FindingKind::misdirected_read; }

std::string run_detail(const FindingRun& run) {
    const auto detail_of = [](const sim::Finding& finding) {
        if (!finding.transient || says_transient(finding.kind)) return finding_detail(finding);
        // That a request worked later says nothing about the bytes that it brought.
        const bool is_failure = finding.kind == sim::FindingKind::io_error || finding.kind == sim::FindingKind::short_transfer;
        return finding_detail(finding) + (is_failure ? "; worked later" : "; later right");
    };
    std::string detail = detail_of(found_first(run));
    const bool is_common = std::all_of(run.begin(), run.end(), [&](const auto* finding) { return detail_of(*finding) == detail; });
    if (run.size() == 1) return detail;
    return fmt::format("{} pages{} {}", count_text(run.size()), is_common ? ":" : ", first:", detail);
}

// A log has no pages, only offsets.
std::string place(const sim::Finding& finding) {
    if (finding.request.of_file != sim::FileRequest::none) return "-";
    return finding.place.is_log ? fmt::format("{:#x}", finding.place.offset_bytes) : std::to_string(finding.place.page_id);
}

// "; 936 findings have no dump file": a run does not write more dumps of one cause than help.
std::string left_out_note(const sim::Results& results) {
    std::uint64_t kept = 0;
    std::uint64_t without = 0;
    for (const sim::Finding& finding : results.findings) {
        if (finding.is_warning) continue;
        ++kept;
        without += finding.evidence.dump_path.empty() ? 1 : 0;
    }
    if (without == 0) return {};
    // The first findings, and the first of each kind.
    const std::string of_kept = results.finding_count > kept ? fmt::format(" of the {} kept", count_text(kept)) : "";
    const bool is_one = without == 1 && of_kept.empty();
    return fmt::format("; {}{} {} no dump file", count_text(without), of_kept, is_one ? "finding has" : "findings have");
}

// Where the evidence is: a run writes all dumps to one folder.
std::string dump_note(const sim::Results& results) {
    const std::vector<sim::Finding>& findings = results.findings;
    const auto has_dump = [](const sim::Finding& finding) { return !finding.evidence.dump_path.empty(); };
    const auto count = static_cast<std::uint64_t>(std::count_if(findings.begin(), findings.end(), has_dump));
    if (count == 0) return {};
    const std::string& first = std::find_if(findings.begin(), findings.end(), has_dump)->evidence.dump_path;
    const std::string more = count == 1 ? "" : fmt::format(" and {} more", count_text(count - 1));
    return "  " +
           wrapped(fmt::format("The evidence is in {}{}{}.", ums::printable(first), more, left_out_note(results)), kReportColumns - 2, 2);
}

}  // namespace

// Short titles, so that a run of some minutes fits on a terminal of 80 columns.
std::string phases_table(const sim::Results& results) {
    if (results.phases.empty()) return {};
    Table table({{"Phase", Align::left}, {"time"}, {"read"}, {"MB/s"}, {"written"}, {"MB/s"}, {"log"}, {"verified"}});
    for (const sim::PhaseResult& phase : summed_over_cycles(results.phases)) {
        if (phase.duration_us == 0) continue;
        table.add_row({std::string(sim::name_of(phase.phase)), phase_time_text(phase.duration_us), count_or_dash(phase.pages_read),
                       mb_rate_or_dash(phase.pages_read * sim::kPageBytes, phase.duration_us), count_or_dash(phase.pages_written),
                       mb_rate_or_dash(phase.pages_written * sim::kPageBytes, phase.duration_us),
                       mb_rate_or_dash(phase.log_bytes_written, phase.duration_us), count_or_dash(phase.pages_verified)});
    }
    return "Pages read, written and verified; the log in MB/s\n" + table.text(kReportColumns);
}

std::string users_table(const sim::Results& results) {
    if (results.users.empty()) return {};
    Table table({{"User", Align::left}, {"tasks"}, {"cycles"}, {"pages read"}, {"pages changed"}, {"rollbacks"}, {"log"}});
    for (const sim::UserResult& user : results.users) {
        table.add_row({user.name, count_or_dash(user.count), count_or_dash(user.cycles), count_or_dash(user.pages_read),
                       count_or_dash(user.pages_updated), count_or_dash(user.rollbacks), size_or_dash(user.log_bytes)});
    }
    return table.text(kReportColumns);
}

std::string files_table(const sim::Results& results, const Verdict& verdict) {
    if (results.files.empty()) return {};
    Table table({{"File", Align::left, true},
                 {"size"},
                 {"average"},
                 {"longest", Align::right, false, true},
                 {"blocks", Align::right, false, true},
                 {"throttled"},
                 {"verified"},
                 {"speed", Align::left},
                 {"data", Align::left, false, true}});
    for (std::size_t i = 0; i < results.files.size(); ++i) {
        const sim::FileResult& file = results.files[i];
        const double average_ms = average_latency_ms(file);
        const bool has_requests = file.reads + file.scatter_reads + file.writes + file.gather_writes > 0;
        const bool is_judged = file.findings == 0 && rated_latency_ms(file) > 0;
        table.add_row({ums::printable(file.path), size_text(file.size_bytes), average_ms == 0 ? "-" : latency_ms_text(average_ms),
                       has_requests ? duration_text(file.max_io_time_us) : "-", blocks_text(file), count_or_dash(file.throttle_count),
                       count_or_dash(file.pages_verified), is_judged ? std::string(name_of(verdict.files[i].speed)) : "-",
                       data_text(file, results.outcome)});
    }
    return table.text(kFindingsColumns);
}

// Only the percentiles that fit on a terminal; JSON and HTML have all of them.
std::string latency_tables(const sim::Results& results) {
    static constexpr std::array<double, 3> kPercents{50, 99, 99.9};
    std::string text;
    for (const sim::FileResult& file : results.files) {
        Table table({{"Request", Align::left}, {"count"}, {"average"}, {"deviation"}, {"min"}, {"50 %"}, {"99 %"}, {"99.9 %"}, {"max"}});
        bool is_empty = true;
        for (std::size_t io_class = 0; io_class < sim::kIoClassCount; ++io_class) {
            const sim::LatencyResult& latency = file.latency[io_class];
            if (latency.count == 0) continue;
            is_empty = false;
            std::string name(sim::name_of(static_cast<sim::IoClass>(io_class)));
            std::replace(name.begin(), name.end(), '_', ' ');
            std::vector<std::string> cells{name, count_text(latency.count), latency_text(static_cast<std::uint64_t>(latency.mean_ns)),
                                           latency_text(static_cast<std::uint64_t>(latency.deviation_ns)), latency_text(latency.min_ns)};
            for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) {
                const bool is_shown = std::find(kPercents.begin(), kPercents.end(), sim::kLatencyPercents[i]) != kPercents.end();
                if (is_shown) cells.push_back(latency_text(latency.percentiles_ns[i]));
            }
            cells.push_back(latency_text(latency.max_ns));
            table.add_row(std::move(cells));
        }
        if (!is_empty) text += fmt::format("How long requests of {} took\n{}", ums::printable(file.path), table.text(kReportColumns));
    }
    return text;
}

std::string waits_table(const sim::Results& results) {
    std::vector<sim::WaitResult> waits;
    std::copy_if(results.waits.begin(), results.waits.end(), std::back_inserter(waits),
                 [](const auto& wait) { return wait.count > 0 && !is_idle_wait(wait.type); });
    if (waits.empty()) return {};
    std::stable_sort(waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.wait_us > b.wait_us; });
    if (waits.size() > kWaitsListed) waits.resize(kWaitsListed);
    Table table({{"Wait", Align::left}, {"count"}, {"total"}, {"average"}, {"longest"}, {"average signal"}});
    for (const sim::WaitResult& wait : waits) {
        table.add_row({wait.type, count_text(wait.count), duration_text(wait.wait_us), average_text(wait.wait_us, wait.count),
                       duration_text(wait.max_wait_us), average_text(wait.signal_wait_us, wait.count)});
    }
    return table.text(kReportColumns);
}

std::string schedulers_table(const sim::Results& results) {
    if (results.schedulers.empty()) return {};
    Table table({{"Scheduler", Align::left}, {"switches"}, {"yields"}, {"quantum overruns"}, {"idle"}, {"I/O requests"}});
    if (results.schedulers.size() <= kSchedulersListed) {
        for (const auto& scheduler : results.schedulers) add_scheduler(table, std::to_string(scheduler.id), scheduler, results.duration_us);
        return table.text(kReportColumns);
    }
    sim::SchedulerResult sum;
    for (const sim::SchedulerResult& scheduler : results.schedulers) {
        sum.switches += scheduler.switches;
        sum.yields += scheduler.yields;
        sum.quantum_overruns += scheduler.quantum_overruns;
        sum.idle_us += scheduler.idle_us;
        sum.io_requests += scheduler.io_requests;
    }
    add_scheduler(table, fmt::format("all {}", results.schedulers.size()), sum, results.duration_us * results.schedulers.size());
    return table.text(kReportColumns);
}

std::string warnings_table(const sim::Results& results) {
    if (results.warning_count == 0) return {};
    Table table({{"#"}, {"at"}, {"File", Align::left, true}, {"page"}, {"request", Align::left}, {"took"}});
    const std::size_t listed = std::min(results.warnings.size(), kFindingsListed);
    for (std::size_t i = 0; i < listed; ++i) {
        const sim::Finding& warning = results.warnings[i];
        table.add_row({std::to_string(warning.number), duration_text(warning.moment.tick_ms * 1000), ums::printable(warning.place.path),
                       place(warning), std::string(sim::operation_of(warning)), duration_text(or_empty(warning.failure).duration_us)});
    }
    std::string text = fmt::format("Warnings: {} late\n{}", count_text(results.warning_count), table.text(kFindingsColumns));
    if (results.warning_count > listed) {
        text += fmt::format("  ... and {} more; the XML log has them all.\n", count_text(results.warning_count - listed));
    }
    return text;
}

std::string thresholds_table(const sim::Results& results) {
    if (results.thresholds.empty()) return {};
    Table table({{"Limit (--fail-on)", Align::left, false, true}, {"measured"}, {"", Align::left}, {"where", Align::left, true}});
    for (const sim::ThresholdResult& threshold : results.thresholds) {
        const char* outcome = threshold.measured.empty() ? "nothing" : threshold.is_exceeded ? "EXCEEDED" : "kept";
        const std::string separator = threshold.io_class.empty() ? "" : " of ";
        table.add_row({ums::printable(threshold.expression), threshold.measured.empty() ? "-" : threshold.measured, outcome,
                       threshold.io_class + separator + ums::printable(threshold.path)});
    }
    return table.text(kFindingsColumns);
}

std::string findings_table(const sim::Results& results) {
    if (results.finding_count == 0) return {};
    const std::vector<FindingRun> runs = finding_runs(results.findings);
    Table table(
        {{"#"}, {"at"}, {"File", Align::left, true}, {"page"}, {"kind", Align::left}, {"what came back", Align::left, false, true}});
    std::uint64_t listed = 0;
    for (const FindingRun* const listed_run : listed_runs(runs)) {
        const FindingRun& run = *listed_run;
        const sim::Finding& first = found_first(run);
        const std::string pages =
            run.size() == 1 ? place(first) : fmt::format("{}-{}", run.front()->place.page_id, run.back()->place.page_id);
        table.add_row({std::to_string(first.number), duration_text(first.moment.tick_ms * 1000), ums::printable(first.place.path), pages,
                       std::string(sim::title_of(first.kind)), run_detail(run)});
        listed += run.size();
    }
    std::string text = fmt::format("Findings: {}\n", count_text(results.finding_count));
    if (listed > 0) text += table.text(kFindingsColumns);
    if (results.finding_count > listed) {
        text += fmt::format("  ... and {} more; the XML log has them all.\n", count_text(results.finding_count - listed));
    }
    return text + dump_note(results);
}

}  // namespace reports
