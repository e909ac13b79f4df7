#include "reports/text_report.hpp"

#include <array>
#include <ctime>

#include <fmt/format.h>

#include "reports/file_summary.hpp"
#include "reports/report_tables.hpp"
#include "reports/text.hpp"
#include "reports/verdict.hpp"

namespace reports {

namespace {

std::string utc_text(std::uint64_t utc_us) {
    const auto seconds = static_cast<std::time_t>(utc_us / 1'000'000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string counted(std::uint64_t count, const char* noun) {
    return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

// Whoever sees one page of a report must see that its findings are not the storage's.
std::string rehearsal_text(const sim::Results& results) {
    if (results.rehearsal.empty()) return {};
    return wrapped(rehearsal_notice(results.rehearsal), kReportColumns, 0);
}

std::string run_text(const sim::Results& results) {
    std::string text = fmt::format("ioproof {}, run {:016x}, seed {}\n", results.version, results.run_id, results.seed);
    const std::string facts = fmt::format("started {}, took {}: {}, {}, buffer pool {}", utc_text(results.start_utc_us),
                                          duration_text(results.duration_us), counted(results.cycles_completed, "cycle"),
                                          counted(results.cpu_count, "scheduler"), size_text(results.buffer_pool_bytes));
    text += wrapped(facts, kReportColumns, 4);
    const std::string reason = results.engine_reason.empty() ? "" : fmt::format(" ({})", printable(results.engine_reason));
    return text + wrapped(fmt::format("I/O engine: {}{}", results.engine, reason), kReportColumns, 4);
}

}  // namespace

std::string rehearsal_notice(std::string_view faults) {
    return fmt::format("REHEARSAL: faults are injected on purpose: {}. What is found says nothing about the storage.", printable(faults));
}

std::string outcome_text(const sim::Results& results) {
    return verdict_text(verdict_of(results), kReportColumns) + rehearsal_text(results);
}

std::string text_report(const sim::Results& results) {
    const Verdict verdict = verdict_of(results);
    std::string text = rehearsal_text(results) + verdict_text(verdict, kReportColumns) + "\n";
    for (const sim::FileResult& file : results.files) text += fmt::format("{}\n", fmt::join(file_summary(file), "\n"));
    text += "Stress Test Attempt Complete\n\n" + run_text(results);
    for (const std::string& block :
         {phases_table(results), users_table(results), waits_table(results), schedulers_table(results), latency_tables(results),
          files_table(results, verdict), findings_table(results), file_verdicts_text(verdict, kReportColumns)}) {
        if (!block.empty()) text += "\n" + block;
    }
    return text + "\n" + verdict_text(verdict, kReportColumns) + rehearsal_text(results);
}

}  // namespace reports
