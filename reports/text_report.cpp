#include "reports/text_report.hpp"

#include <fmt/format.h>

#include "reports/backup_report.hpp"
#include "reports/durability_text.hpp"
#include "reports/file_summary.hpp"
#include "reports/group_text.hpp"
#include "reports/report_tables.hpp"
#include "reports/text.hpp"
#include "reports/time_text.hpp"
#include "reports/verdict.hpp"
#include "ums/base/calendar.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

std::string utc_text(std::uint64_t utc_us) { return calendar_text(ums::utc_calendar(utc_us).fields, "%Y-%m-%d %H:%M:%S UTC"); }

// Even a single page of the report must show that its findings are not the storage's.
std::string rehearsal_text(const sim::Results& results) {
    if (results.rehearsal.empty()) return {};
    return wrapped(rehearsal_notice(results.rehearsal), kReportColumns, 0);
}

std::string run_text(const sim::Results& results) {
    std::string text = fmt::format("ioproof {}, run {:016x}", results.version, results.run_id);
    text += results.durability ? "\n" : fmt::format(", seed {}\n", results.seed);
    // A reader of another host's files has no pool.
    const std::string pool = results.buffer_pool_bytes == 0 ? "" : fmt::format(", buffer pool {}", size_text(results.buffer_pool_bytes));
    const std::string facts =
        fmt::format("started {}, took {}: {}, {}{}", utc_text(results.start_utc_us), duration_text(results.duration_us),
                    counted(results.cycles_completed, "cycle"), counted(results.cpu_count, "scheduler"), pool);
    const std::string verification = fmt::format("verified {}, took {}: {}", utc_text(results.start_utc_us),
                                                 duration_text(results.duration_us), counted(results.cpu_count, "scheduler"));
    text += wrapped(results.durability ? verification : facts, kReportColumns, 4);
    const std::string reason = results.engine_reason.empty() ? "" : fmt::format(" ({})", ums::printable(results.engine_reason));
    text += wrapped(fmt::format("I/O engine: {}{}", results.engine, reason), kReportColumns, 4);
    for (const sim::FileResult& file : results.files) {
        if (!file.named_as.empty()) text += fmt::format("{} is {}\n", ums::printable(file.named_as), ums::printable(file.path));
    }
    return text;
}

}  // namespace

std::string rehearsal_notice(std::string_view faults) {
    return fmt::format("REHEARSAL: faults are injected on purpose: {}. What is found says nothing about the storage.",
                       ums::printable(faults));
}

std::string_view completion_text(const sim::Results& results) {
    return results.durability ? "Verification Complete" : "Stress Test Attempt Complete";
}

std::string outcome_text(const sim::Results& results) {
    return verdict_text(verdict_of(results), kReportColumns) + rehearsal_text(results);
}

std::string text_report(const sim::Results& results) {
    const Verdict verdict = verdict_of(results);
    std::string text = rehearsal_text(results) + verdict_text(verdict, kReportColumns) + "\n";
    for (const sim::FileResult& file : results.files) text += fmt::format("{}\n", fmt::join(file_summary(file), "\n"));
    if (!results.is_unfinished) text += fmt::format("{}\n\n", completion_text(results));
    text += run_text(results);
    for (const std::string& block :
         {group_text(results), durability_text(results), resume_text(results), promising_text(results), backup_text(results),
          phases_table(results), users_table(results), waits_table(results), schedulers_table(results), latency_tables(results),
          files_table(results, verdict), thresholds_table(results), warnings_table(results), findings_table(results),
          file_verdicts_text(verdict, kReportColumns)}) {
        if (!block.empty()) text += "\n" + block;
    }
    return text + "\n" + verdict_text(verdict, kReportColumns) + rehearsal_text(results);
}

}  // namespace reports
