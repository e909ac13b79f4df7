#include "reports/verdict.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/args.h>
#include <fmt/format.h>

#include "reports/finding_text.hpp"
#include "reports/group_text.hpp"
#include "reports/held_back.hpp"
#include "reports/limit_words.hpp"
#include "reports/text.hpp"
#include "reports/thresholds.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

// The tables and the findings themselves show complete paths.
constexpr std::size_t kPathColumns = 60;

// The values of the placeholders in the table's sentences.
struct Figures {
    std::string average{};
    std::string median{};
    std::string target{};
    std::string count{};
    std::string longest{};
    std::string blocks{};
    std::string pages{};
    std::string reason{};
    std::string time{};
};

std::string filled(std::string_view text, const Figures& figures) {
    return fmt::format(fmt::runtime(text), fmt::arg("average", figures.average), fmt::arg("median", figures.median),
                       fmt::arg("target", figures.target), fmt::arg("count", figures.count), fmt::arg("longest", figures.longest),
                       fmt::arg("blocks", figures.blocks), fmt::arg("pages", figures.pages), fmt::arg("reason", figures.reason),
                       fmt::arg("time", figures.time));
}

Remark remark_of(std::string_view id, const Figures& figures = {}) {
    const Guidance& row = guidance(id);
    return {std::string(id), row.grade, filled(row.text, figures), filled(row.next, figures), std::string(row.source)};
}

std::uint64_t pages_verified(const sim::Results& results) {
    std::uint64_t pages = 0;
    for (const sim::FileResult& file : results.files) pages += file.pages_verified;
    return pages;
}

std::string pages_text(const sim::Results& results, bool with_verb = true) {
    const std::uint64_t pages = pages_verified(results);
    return with_verb ? counted(pages, "page read") + (pages == 1 ? " was" : " were") : counted(pages, "page");
}

void append(std::string& text, const std::string& sentence) {
    if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
}

// What a finding means among several hosts says more than its kind, where the group explains it.
std::string_view title_of_finding(const sim::Finding& finding) {
    return finding.group_fact ? sim::title_of(finding.group_fact->kind) : sim::title_of(finding.kind);
}

// "3 stale reads". The titles of two kinds have no plural that ends with an s.
std::string counted_kind(std::uint64_t count, sim::FindingKind kind) {
    if (kind == sim::FindingKind::bytes_not_read) return counted(count, "case") + " of bytes not read";
    if (kind == sim::FindingKind::log_gap) return counted(count, "gap") + " in the log";
    return counted(count, sim::title_of(kind));
}

// `bound`: "at least " if not all findings are known.
Remark remark_of_kind(const sim::Finding& first, std::uint64_t count, std::string_view bound) {
    const std::string place =
        fmt::format("{}{} {}", count == 1 ? "" : "first: ", keep_end(ums::printable(first.place.path), kPathColumns), finding_place(first));
    if (first.group_fact) {
        const sim::GroupFact& fact = *first.group_fact;
        return {fmt::format("group:{}", sim::name_of(fact.kind)), Grade::poor,
                fmt::format("{}{} x {} ({}): {}", bound, count_text(count), sim::title_of(fact.kind), place, ums::printable(fact.text)),
                std::string(hint_of(fact.kind)), ""};
    }
    const KindText kind = kind_text(first);
    return {fmt::format("kind:{}", sim::name_of(first.kind)), Grade::poor,
            fmt::format("{}{} ({}): {}", bound, counted_kind(count, first.kind), place, kind.meaning), std::string(kind.advice), ""};
}

struct FoundKind {
    const sim::Finding* first;
    std::uint64_t count;
};

// Findings of a kind need not mean the same: a page that is torn in one read, and one that stays so.
bool is_told_by(const sim::Finding& first, const sim::Finding& finding) {
    if (title_of_finding(first) != title_of_finding(finding)) return false;
    return first.group_fact || kind_text(first).meaning == kind_text(finding).meaning;
}

// In the order of their first findings.
std::vector<FoundKind> kinds_found(const sim::Results& results) {
    std::vector<FoundKind> kinds;
    for (const sim::Finding& finding : results.findings) {
        if (finding.is_warning) continue;
        const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const FoundKind& kind) { return is_told_by(*kind.first, finding); });
        if (same == kinds.end()) {
            kinds.push_back({&finding, 1});
        } else {
            ++same->count;
        }
    }
    return kinds;
}

std::string titles_of(const std::vector<FoundKind>& kinds) {
    std::vector<std::string_view> titles;
    for (const FoundKind& kind : kinds) {
        const std::string_view title = title_of_finding(*kind.first);
        if (std::find(titles.begin(), titles.end(), title) == titles.end()) titles.push_back(title);
    }
    return titles.empty() ? std::string() : fmt::format(" ({})", fmt::join(titles, ", "));
}

void judge_as_failed(Verdict& verdict, const sim::Results& results) {
    verdict.judgement = Judgement::fail;
    const std::vector<FoundKind> kinds = kinds_found(results);
    verdict.reasons.push_back(remark_of("fail", {.count = counted(results.finding_count, "finding") + titles_of(kinds)}));
    append(verdict.reasons.front().text, ums::printable(results.outcome_reason));
    std::uint64_t kept = 0;
    for (const FoundKind& kind : kinds) kept += kind.count;
    const std::string_view bound = results.finding_count > kept ? "at least " : "";
    for (const FoundKind& kind : kinds) {
        Remark remark = remark_of_kind(*kind.first, kind.count, bound);
        const bool is_advised = std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                                            [&](const Remark& said) { return said.id == remark.id && said.next == remark.next; });
        if (is_advised) remark.next.clear();
        verdict.reasons.push_back(std::move(remark));
    }
}

// A run that lacks space may end in several places, which report it only as text.
bool is_about_space(const std::string& reason) {
    const auto says = [&](const std::string& words) { return reason.find(words) != std::string::npos; };
    return says(std::generic_category().message(ENOSPC)) || says(ums::quota_exceeded().message()) || says("not enough space");
}

std::string_view incomplete_id(const sim::Results& results) {
    const bool is_stopped = results.outcome == sim::Outcome::stopped;
    if (results.is_unfinished) return "unfinished";
    if (results.durability) return is_stopped ? "verify_stopped" : "verify_not_done";
    if (results.outcome == sim::Outcome::passed) return "nothing_verified";
    if (is_stopped) return "stopped";
    const bool is_without_witness = results.group && results.group->is_without_witness;
    if (!is_without_witness && is_about_space(results.outcome_reason)) return "no_space";
    return results.group && !results.group->missing_ranks.empty() ? "group_incomplete" : "not_done";
}

void judge_as_incomplete(Verdict& verdict, const sim::Results& results) {
    const std::string_view id = incomplete_id(results);
    verdict.reasons.push_back(remark_of(id, {.pages = pages_text(results)}));
    std::string& text = verdict.reasons.front().text;
    // The reason of a stopped run is that it was stopped.
    if (results.outcome != sim::Outcome::stopped) append(text, ums::printable(results.outcome_reason));
    // A run with TestCycles=0 has no end but this one.
    if (id == "stopped" && results.cycles_completed > 0) {
        append(text, remark_of("complete_cycles", {.count = counted(results.cycles_completed, "cycle")}).text);
    }
}

// A ledger lags by milliseconds, unless the run could no longer write to it.
constexpr std::uint64_t kUsualLagUs = 1'000'000;

Remark scope_of_ledger(const sim::DurabilityResult& durability) {
    const std::uint64_t last_us = durability.promises->last_utc_us;
    if (durability.last_write_utc_us <= last_us + kUsualLagUs) return remark_of("verify_scope_ledger");
    return remark_of("verify_ledger_short", {.reason = duration_text(durability.last_write_utc_us - last_us)});
}

void judge_as_passed(Verdict& verdict, const sim::Results& results) {
    verdict.judgement = Judgement::pass;
    if (!results.durability) {
        verdict.reasons.push_back(remark_of("pass", {.pages = pages_text(results)}));
        return;
    }
    verdict.reasons.push_back(
        remark_of("verify_pass", {.count = counted(results.durability->log_blocks, "block"), .pages = pages_text(results, false)}));
    const auto& promises = results.durability->promises;
    if (promises && promises->are_used) {
        verdict.reasons.push_back(scope_of_ledger(*results.durability));
        return;
    }
    if (promises) {
        verdict.reasons.push_back(remark_of("verify_ledger_unused"));
        append(verdict.reasons.back().text, ums::printable(promises->remark));
    }
    verdict.reasons.push_back(remark_of("verify_scope"));
}

void add_unreported_pages(Verdict& verdict, const sim::Results& results) {
    if (!results.durability || results.durability->unreported_pages == 0) return;
    const std::uint64_t pages = results.durability->unreported_pages;
    verdict.reasons.push_back(remark_of("verify_unreported", {.count = counted(pages, "more page") + (pages == 1 ? " is" : " are")}));
}

// Reported beside any other reason, because torn pages are a separate matter.
void add_torn_pages(Verdict& verdict, const sim::Results& results) {
    if (!results.durability || results.durability->torn_pages == 0) return;
    const std::uint64_t pages = results.durability->torn_pages;
    verdict.reasons.push_back(remark_of("verify_torn", {.count = counted(pages, "page") + (pages == 1 ? " was" : " were")}));
}

// A storage that was not asked for durability is not to blame for what is lost.
void add_undurable_files(Verdict& verdict, const sim::Results& results) {
    if (!results.durability || results.durability->undurable_files == 0) return;
    verdict.reasons.push_back(remark_of("verify_unasked", {.count = counted(results.durability->undurable_files, "file")}));
}

// An exceeded limit outranks the verdict that the run would have without it; wrong data outrank both.
void judge_thresholds(Verdict& verdict, const sim::Results& results) {
    std::vector<std::string> exceeded;
    for (const sim::ThresholdResult& threshold : results.thresholds) {
        if (threshold.is_exceeded) exceeded.push_back(threshold_text(threshold));
    }
    if (exceeded.empty()) return;
    const Figures figures{.reason = fmt::format("{}", fmt::join(exceeded, "; "))};
    if (verdict.judgement == Judgement::fail) {
        verdict.reasons.push_back(remark_of("threshold_besides", figures));
        return;
    }
    const bool is_whole = verdict.judgement == Judgement::pass;
    verdict.reasons.insert(verdict.reasons.begin(), remark_of(is_whole ? "threshold" : "threshold_incomplete", figures));
    verdict.judgement = Judgement::fail;
}

void add_warnings(Verdict& verdict, const sim::Results& results) {
    if (results.warning_count == 0) return;
    const std::string count = counted(results.warning_count, "request");
    append(verdict.reasons.front().text, fmt::format("Warning: {} came back late.", count));
    verdict.reasons.push_back(remark_of("late", {.count = count}));
}

// --- files ---

void add_latency(FileVerdict& verdict, const sim::FileResult& file) {
    const double median_ms = rated_latency_ms(file);
    if (median_ms <= 0) return;
    const double good_ms = file.is_log ? kLogGoodMs : kDataGoodMs;
    const char* grade = median_ms <= good_ms ? "good" : median_ms <= kPoorMs ? "fair" : "poor";
    verdict.remarks.push_back(remark_of(fmt::format("{}_{}", file.is_log ? "log" : "data", grade), {.median = latency_ms_text(median_ms)}));
}

void add_load(FileVerdict& verdict, const sim::FileResult& file, const std::vector<sim::Interval>& intervals) {
    const std::uint64_t target_us = std::uint64_t{file.target_io_duration_ms} * 1000;
    const std::optional<HeldBack> held = held_back(file, intervals);
    Figures figures{.average = limit_time_text(static_cast<double>(file.average_io_duration_us), static_cast<double>(target_us)),
                    .target = fmt::format("{} ms", file.target_io_duration_ms),
                    .count = counted(file.throttle_count, "time")};
    if (file.average_io_duration_us > target_us) verdict.remarks.push_back(remark_of(held ? "above_target" : "slow_at_end", figures));
    if (file.throttle_count == 0) return;
    verdict.remarks.push_back(remark_of("throttled", figures));
    if (!held || held->blocks >= kFewRequestBlocks) return;
    figures.time = duration_text(held->time_us);
    figures.blocks = counted(static_cast<std::uint64_t>(std::llround(held->blocks)), "request");
    verdict.remarks.push_back(remark_of("few_blocks", figures));
}

void add_troubles(FileVerdict& verdict, const sim::FileResult& file) {
    if (file.findings > 0) verdict.remarks.push_back(remark_of("file_findings", {.count = counted(file.findings, "finding")}));
    if (file.long_ios > 0) {
        verdict.remarks.push_back(
            remark_of("long_io", {.count = counted(file.long_ios, "request") + " took", .longest = duration_text(file.max_io_time_us)}));
    }
    if (file.write_retries > 0) verdict.remarks.push_back(remark_of("write_retries", {.count = counted(file.write_retries, "time")}));
}

FileVerdict file_verdict(const sim::FileResult& file, const std::vector<sim::Interval>& intervals) {
    FileVerdict verdict;
    verdict.path = file.path;
    add_troubles(verdict, file);
    add_latency(verdict, file);
    add_load(verdict, file, intervals);
    for (const Remark& remark : verdict.remarks) {
        verdict.grade = std::max(verdict.grade, remark.grade);
        if (remark.id != "file_findings") verdict.speed = std::max(verdict.speed, remark.grade);
    }
    return verdict;
}

}  // namespace

std::string_view name_of(Judgement judgement) {
    switch (judgement) {
        case Judgement::pass: return "PASS";
        case Judgement::fail: return "FAIL";
        case Judgement::incomplete: return "INCOMPLETE";
    }
    UMS_ASSERT(false && "unknown judgement");
}

double average_latency_ms(const sim::FileResult& file) {
    std::uint64_t count = 0;
    std::uint64_t total_ns = 0;
    for (std::size_t io_class = 0; io_class < sim::kIoClassCount; ++io_class) {
        if (file.is_log && static_cast<sim::IoClass>(io_class) != sim::IoClass::log_flush) continue;
        count += file.latency[io_class].count;
        total_ns += file.latency[io_class].total_ns;
    }
    return count == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(count) / 1e6;
}

double rated_latency_ms(const sim::FileResult& file) {
    static_assert(sim::kLatencyPercents[1] == 50);
    const auto io_class = file.is_log ? sim::IoClass::log_flush : sim::IoClass::read;
    const sim::LatencyResult& latency = file.latency[static_cast<std::size_t>(io_class)];
    return latency.count < kJudgedRequestsMin ? 0 : static_cast<double>(latency.percentiles_ns[1]) / 1e6;
}

Verdict verdict_of(const sim::Results& results) {
    Verdict verdict;
    // Whatever the outcome, a finding is never hidden behind a milder word.
    if (results.finding_count > 0 || results.outcome == sim::Outcome::failed) {
        judge_as_failed(verdict, results);
    } else if (results.outcome == sim::Outcome::passed && pages_verified(results) > 0) {
        judge_as_passed(verdict, results);
    } else {
        judge_as_incomplete(verdict, results);
    }
    add_unreported_pages(verdict, results);
    add_torn_pages(verdict, results);
    add_undurable_files(verdict, results);
    judge_thresholds(verdict, results);
    add_warnings(verdict, results);
    for (const sim::FileResult& file : results.files) verdict.files.push_back(file_verdict(file, results.intervals));
    return verdict;
}

std::string verdict_text(const Verdict& verdict, std::size_t columns) {
    std::string text = wrapped(fmt::format("{}: {}", name_of(verdict.judgement), verdict.reasons.front().text), columns, 0);
    for (std::size_t i = 0; i < verdict.reasons.size(); ++i) {
        const Remark& reason = verdict.reasons[i];
        if (i > 0) text += "  " + wrapped("* " + reason.text, columns - 2, 4);
        if (!reason.next.empty()) text += "  " + wrapped("-> " + reason.next, columns - 2, 5);
    }
    return text;
}

std::string file_verdicts_text(const Verdict& verdict, std::size_t columns) {
    std::string text;
    for (const FileVerdict& file : verdict.files) {
        if (file.remarks.empty()) continue;
        if (text.empty()) text = "What the figures mean\n";
        text += fmt::format("  {}: {}\n", keep_end(ums::printable(file.path), kPathColumns), name_of(file.grade));
        for (const Remark& remark : file.remarks) {
            text += "    " + wrapped("* " + remark.text, columns - 4, 6);
            if (!remark.next.empty()) text += "      " + wrapped("-> " + remark.next, columns - 6, 9);
        }
    }
    return text;
}

}  // namespace reports
