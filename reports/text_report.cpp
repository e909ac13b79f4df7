#include "reports/text_report.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include "reports/file_summary.hpp"
#include "reports/report_tables.hpp"
#include "reports/text.hpp"
#include "ums/base/assert.hpp"

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

std::string run_text(const sim::Results& results) {
    std::string text = fmt::format("ioproof {}, run {:016x}, seed {}\n", results.version, results.run_id, results.seed);
    const std::string facts = fmt::format("started {}, took {}: {}, {}, buffer pool {}", utc_text(results.start_utc_us),
                                          duration_text(results.duration_us), counted(results.cycles_completed, "cycle"),
                                          counted(results.cpu_count, "scheduler"), size_text(results.buffer_pool_bytes));
    text += wrapped(facts, kReportColumns, 4);
    const std::string reason = results.engine_reason.empty() ? "" : fmt::format(" ({})", printable(results.engine_reason));
    return text + wrapped(fmt::format("I/O engine: {}{}", results.engine, reason), kReportColumns, 4);
}

std::uint64_t pages_verified(const sim::Results& results) {
    std::uint64_t pages = 0;
    for (const sim::FileResult& file : results.files) pages += file.pages_verified;
    return pages;
}

std::string kinds_found(const sim::Results& results) {
    std::vector<std::string_view> kinds;
    for (const sim::Finding& finding : results.findings) {
        if (finding.is_warning) continue;
        const std::string_view kind = sim::title_of(finding.kind);
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    return kinds.empty() ? std::string() : fmt::format(" ({})", fmt::join(kinds, ", "));
}

std::string findings_counted(const sim::Results& results) { return counted(results.finding_count, "finding") + kinds_found(results); }

// What happened; the reason, if any, comes between it and the advice.
std::string what_happened(const sim::Results& results, sim::Outcome outcome) {
    const std::uint64_t pages = pages_verified(results);
    const std::string verified = counted(pages, "page read") + (pages == 1 ? " was" : " were") + " verified";
    switch (outcome) {
        case sim::Outcome::passed:
            return pages == 0 ? "PASSED, but no page was read back." : "PASSED: " + verified + ", none was wrong, old or missing.";
        case sim::Outcome::stopped: return "STOPPED before the end: " + verified + " until then, none was wrong, old or missing.";
        case sim::Outcome::failed: return "FAILED: " + findings_counted(results) + ".";
        case sim::Outcome::not_done:
            if (results.finding_count == 0) return "COULD NOT BE DONE: the run broke off.";
            return "COULD NOT BE DONE: the run broke off, with " + findings_counted(results) + " until then.";
    }
    UMS_ASSERT(false && "unknown outcome");
}

const char* what_it_means(const sim::Results& results, sim::Outcome outcome) {
    switch (outcome) {
        case sim::Outcome::passed:
            return pages_verified(results) == 0 ? "That proves nothing about the storage."
                                                : "In this run the storage kept what it was given.";
        case sim::Outcome::stopped: return "What was not read back is not proven: let a run go to its end before you trust the storage.";
        case sim::Outcome::failed: return "Do not trust this storage with a database until the cause is found.";
        case sim::Outcome::not_done:
            if (results.finding_count == 0) return "That proves nothing about the storage's data, neither good nor bad.";
            return "Do not trust this storage with a database until the cause is found.";
    }
    UMS_ASSERT(false && "unknown outcome");
}

}  // namespace

std::string outcome_text(const sim::Results& results) {
    // Whatever the outcome says, a finding is never hidden behind a friendlier word.
    const bool found = results.finding_count > 0 && results.outcome != sim::Outcome::not_done;
    const sim::Outcome outcome = found ? sim::Outcome::failed : results.outcome;
    std::string text = what_happened(results, outcome);
    if (outcome != sim::Outcome::passed && !results.outcome_reason.empty()) text += " " + printable(results.outcome_reason);
    return wrapped(text + " " + what_it_means(results, outcome), kReportColumns, 0);
}

std::string text_report(const sim::Results& results) {
    std::string text;
    for (const sim::FileResult& file : results.files) text += fmt::format("{}\n", fmt::join(file_summary(file), "\n"));
    text += "Stress Test Attempt Complete\n\n" + run_text(results);
    for (const std::string& block : {phases_table(results), users_table(results), waits_table(results), schedulers_table(results),
                                     files_table(results), findings_table(results), attention_text(results)}) {
        if (!block.empty()) text += "\n" + block;
    }
    return text + "\n" + outcome_text(results);
}

}  // namespace reports
