#include "reports/verdict.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "reports/group_text.hpp"
#include "reports/text_report.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/reports/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using reports::Grade;
using reports::Judgement;
using reports::Verdict;
using reports::verdict_of;

namespace {

std::string whole_text(const sim::Results& results) {
    const Verdict verdict = verdict_of(results);
    return reports::verdict_text(verdict, 80) + "\n" + reports::file_verdicts_text(verdict, 80);
}

void check_golden(const std::string& name, const sim::Results& results) {
    const auto path = std::filesystem::path(IOPROOF_GOLDEN) / ("verdict_" + name + ".txt");
    const std::string text = whole_text(results);
    if (std::getenv("IOPROOF_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
    INFO("IOPROOF_UPDATE_GOLDEN=1 tests/reports_test, run in the build directory, writes it anew: read what it says then");
    CHECK(text == read_file(path.string()));
}

bool has_remark(const reports::FileVerdict& file, std::string_view id) {
    for (const reports::Remark& remark : file.remarks) {
        if (remark.id == id) return true;
    }
    return false;
}

// The remark about this median of a data file's single reads, or of a log's flushes, with a bad average.
std::string latency_grade(bool is_log, std::uint64_t median_ns) {
    sim::Results results = example_results();
    sim::FileResult& file = results.files[is_log ? 1 : 0];
    const auto io_class = is_log ? sim::IoClass::log_flush : sim::IoClass::read;
    file.latency[static_cast<std::size_t>(io_class)] = prepared_latency(1000, 900'000'000);
    file.latency[static_cast<std::size_t>(io_class)].percentiles_ns[1] = median_ns;
    for (const char* grade : {"good", "fair", "poor"}) {
        if (has_remark(verdict_of(results).files[is_log ? 1 : 0], std::string(is_log ? "log_" : "data_") + grade)) return grade;
    }
    return "none";
}

}  // namespace

TEST_CASE("five prepared runs get verdicts that a newcomer can act on") {
    check_golden("sound", sound_results());
    check_golden("slow", slow_results());
    check_golden("throttled", throttled_results());
    check_golden("stale_reads", stale_results());
    check_golden("full_disk", full_disk_results());
}

TEST_CASE("the five prepared runs are judged correctly") {
    CHECK(verdict_of(sound_results()).judgement == Judgement::pass);
    CHECK(verdict_of(slow_results()).judgement == Judgement::pass);
    CHECK(verdict_of(throttled_results()).judgement == Judgement::pass);
    CHECK(verdict_of(stale_results()).judgement == Judgement::fail);
    CHECK(verdict_of(full_disk_results()).judgement == Judgement::incomplete);
    CHECK(verdict_of(sound_results()).files[0].grade == Grade::good);
    CHECK(verdict_of(slow_results()).files[0].grade == Grade::poor);
}

TEST_CASE("medians are graded by the guidance: 8 KB reads 5 and 15 ms, log flushes 2 and 15 ms") {
    CHECK(latency_grade(false, 5'000'000) == "good");
    CHECK(latency_grade(false, 5'000'001) == "fair");
    CHECK(latency_grade(false, 15'000'000) == "fair");
    CHECK(latency_grade(false, 15'000'001) == "poor");
    CHECK(latency_grade(true, 2'000'000) == "good");
    CHECK(latency_grade(true, 2'000'001) == "fair");
    CHECK(latency_grade(true, 15'000'001) == "poor");
}

TEST_CASE("large requests, writes, and reads of a log do not count for the guidance on speed") {
    sim::Results results = sound_results();
    for (const auto io_class : {sim::IoClass::scatter_read, sim::IoClass::write, sim::IoClass::gather_write}) {
        results.files[0].latency[static_cast<std::size_t>(io_class)] = prepared_latency(100'000, 900'000'000);
    }
    results.files[1].latency[static_cast<std::size_t>(sim::IoClass::read)] = prepared_latency(100'000, 900'000'000);
    CHECK(has_remark(verdict_of(results).files[0], "data_good"));
    CHECK(has_remark(verdict_of(results).files[1], "log_good"));
    results.files[0].latency[static_cast<std::size_t>(sim::IoClass::read)] = {};
    CHECK(reports::rated_latency_ms(results.files[0]) == 0);
    CHECK(verdict_of(results).files[0].remarks.empty());
}

TEST_CASE("the speed of a file with hardly any single reads or flushes is not judged") {
    const auto judged_files = [](std::uint64_t requests) {
        sim::Results results = sound_results();
        results.files[0].latency[static_cast<std::size_t>(sim::IoClass::read)] = prepared_latency(requests, 90'000'000);
        results.files[1].latency[static_cast<std::size_t>(sim::IoClass::log_flush)] = prepared_latency(requests, 90'000'000);
        const Verdict verdict = verdict_of(results);
        return (has_remark(verdict.files[0], "data_poor") ? 1 : 0) + (has_remark(verdict.files[1], "log_poor") ? 1 : 0);
    };
    CHECK(judged_files(1) == 0);
    CHECK(judged_files(reports::kJudgedRequestsMin - 1) == 0);
    CHECK(judged_files(reports::kJudgedRequestsMin) == 2);
}

TEST_CASE("few request blocks are poor where the load was held back, and a stall is not") {
    sim::Results results = throttled_results();
    const reports::FileVerdict held = verdict_of(results).files[0];
    CHECK(has_remark(held, "few_blocks"));
    CHECK(held.speed == Grade::poor);
    hold_back(results, results.files[0], reports::kFewRequestBlocks);
    CHECK_FALSE(has_remark(verdict_of(results).files[0], "few_blocks"));

    // A log needs few blocks, and ends with them.
    results = sound_results();
    results.files[1].throttle_count = 1;
    results.files[1].request_blocks = 4;
    results.files[1].samples[20].throttles = 1;
    const reports::FileVerdict stalled = verdict_of(results).files[1];
    CHECK_FALSE(has_remark(stalled, "few_blocks"));
    CHECK(has_remark(stalled, "throttled"));
    CHECK(stalled.speed == Grade::fair);
}

TEST_CASE("an average above the target at the end is poor only if the load was held back for long before that") {
    sim::Results results = throttled_results();
    results.files[0].average_io_duration_us = 303'000;
    CHECK(has_remark(verdict_of(results).files[0], "above_target"));

    // Only the large reads of the final audit are slow.
    results = sound_results();
    results.files[0].average_io_duration_us = 303'000;
    results.files[0].throttle_count = 115;
    results.files[0].request_blocks = 1;
    results.files[0].samples.back().throttles = 115;
    const reports::FileVerdict slow_at_end = verdict_of(results).files[0];
    CHECK(has_remark(slow_at_end, "slow_at_end"));
    CHECK_FALSE(has_remark(slow_at_end, "above_target"));
    CHECK_FALSE(has_remark(slow_at_end, "few_blocks"));
    CHECK(slow_at_end.speed == Grade::fair);
}

TEST_CASE("an average just above the target has the digits that show it") {
    sim::Results results = sound_results();
    for (const auto& [average_us, shown] : {std::pair{100'400, "was 100.4 ms, "}, std::pair{121'400, "was 121 ms, "}}) {
        results.files[0].average_io_duration_us = static_cast<std::uint64_t>(average_us);
        CHECK_THAT(reports::file_verdicts_text(verdict_of(results), 200), ContainsSubstring(shown));
    }
}

TEST_CASE("there is no heading for what the figures mean if they mean nothing") {
    Verdict verdict = verdict_of(sound_results());
    CHECK_THAT(reports::file_verdicts_text(verdict, 80), ContainsSubstring("What the figures mean\n  /data/"));
    for (reports::FileVerdict& file : verdict.files) file.remarks.clear();
    CHECK(reports::file_verdicts_text(verdict, 80).empty());
}

TEST_CASE("the average of a log is that of its flushes, without the reads of its audit") {
    sim::FileResult log = sound_results().files[1];
    const double average_ms = reports::average_latency_ms(log);
    log.latency[static_cast<std::size_t>(sim::IoClass::read)] = prepared_latency(100'000, 900'000'000);
    CHECK(reports::average_latency_ms(log) == average_ms);
    log.is_log = false;
    CHECK(reports::average_latency_ms(log) > average_ms);
}

TEST_CASE("a finding is never hidden behind a friendlier outcome, and a run that proved nothing does not pass") {
    sim::Results results = sound_results();
    for (const auto outcome : {sim::Outcome::passed, sim::Outcome::stopped, sim::Outcome::not_done}) {
        results.outcome = outcome;
        results.finding_count = 1;
        CHECK(verdict_of(results).judgement == Judgement::fail);
    }
    results.finding_count = 0;
    results.outcome = sim::Outcome::stopped;
    CHECK(verdict_of(results).judgement == Judgement::incomplete);
    results.outcome = sim::Outcome::passed;
    for (auto& file : results.files) file.pages_verified = 0;
    CHECK(verdict_of(results).judgement == Judgement::incomplete);
    CHECK(verdict_of(results).reasons[0].id == "nothing_verified");
}

TEST_CASE("a finding that the group explains is named by what it means among the hosts, with that advice") {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::failed;
    const sim::Finding lost = example_finding();
    sim::Finding zombie = lost;
    sim::GroupFact& fact = zombie.group_fact.emplace();
    fact.kind = sim::GroupFactKind::zombie_owner;
    fact.text = "An earlier owner wrote here.";
    results.findings = {zombie, lost, zombie};
    results.finding_count = 3;
    const Verdict verdict = verdict_of(results);
    CHECK_THAT(verdict.reasons[0].text, ContainsSubstring("3 findings (zombie owner, lost write)"));
    REQUIRE(verdict.reasons.size() == 3);
    CHECK(verdict.reasons[1].id == "group:zombie_owner");
    CHECK_THAT(verdict.reasons[1].text,
               ContainsSubstring("2 x zombie owner (first: ") && ContainsSubstring("An earlier owner wrote here."));
    CHECK(verdict.reasons[1].next == reports::hint_of(sim::GroupFactKind::zombie_owner));
    CHECK(verdict.reasons[2].id == "kind:lost_write");
    CHECK_THAT(verdict.reasons[2].text, ContainsSubstring("1 lost write ("));
}

TEST_CASE("what is said of one finding is not said of others of its kind that mean something else") {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::failed;
    sim::Finding torn = example_finding();
    torn.kind = sim::FindingKind::torn_page;
    sim::Finding torn_in_one_read = torn;
    torn_in_one_read.transient = true;
    results.findings = {torn_in_one_read, torn, torn};
    results.finding_count = 3;
    const Verdict verdict = verdict_of(results);
    CHECK_THAT(verdict.reasons[0].text, ContainsSubstring("3 findings (torn page)"));
    REQUIRE(verdict.reasons.size() == 3);
    CHECK_THAT(verdict.reasons[1].text, ContainsSubstring("1 torn page (") && ContainsSubstring("a later read did not"));
    CHECK_THAT(verdict.reasons[2].text, ContainsSubstring("2 torn pages (first: ") && ContainsSubstring("carried out in part"));
    CHECK(verdict.reasons[1].next != verdict.reasons[2].next);
}

TEST_CASE("the same advice is not given twice for a kind") {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::failed;
    sim::Finding reopened = example_finding();
    reopened.kind = sim::FindingKind::lost_write;
    reopened.rereads = {{.attempt = 3, .through_new_file = true, .result = sim::RereadResult::same_image}};
    sim::Finding read_once = reopened;
    read_once.rereads.clear();
    results.findings = {reopened, read_once};
    results.finding_count = 2;
    const Verdict verdict = verdict_of(results);
    REQUIRE(verdict.reasons.size() == 3);
    CHECK_THAT(verdict.reasons[1].text, ContainsSubstring("reopened"));
    CHECK_THAT(verdict.reasons[2].text, !ContainsSubstring("reopened"));
    CHECK_FALSE(verdict.reasons[1].next.empty());
    CHECK(verdict.reasons[2].next.empty());
}

TEST_CASE("findings of a kind are counted in words that have a plural") {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::failed;
    const auto text_of = [&results](sim::FindingKind kind, std::size_t count) {
        sim::Finding finding = example_finding();
        finding.kind = kind;
        results.findings.assign(count, finding);
        results.finding_count = count;
        const std::string text = verdict_of(results).reasons.at(1).text;
        return text.substr(0, text.find(" ("));
    };
    CHECK(text_of(sim::FindingKind::log_gap, 1) == "1 gap in the log");
    CHECK(text_of(sim::FindingKind::log_gap, 2) == "2 gaps in the log");
    CHECK(text_of(sim::FindingKind::bytes_not_read, 1) == "1 case of bytes not read");
    CHECK(text_of(sim::FindingKind::bytes_not_read, 3) == "3 cases of bytes not read");
    CHECK(text_of(sim::FindingKind::io_error, 2) == "2 I/O errors");
}

TEST_CASE("late requests add a warning to the verdict without changing it") {
    sim::Results results = sound_results();
    results.warning_count = 2;
    const Verdict verdict = verdict_of(results);
    CHECK(verdict.judgement == Judgement::pass);
    CHECK_THAT(verdict.reasons[0].text, ContainsSubstring("Warning: 2 requests came back late."));
    REQUIRE(verdict.reasons.size() == 2);
    CHECK(verdict.reasons[1].id == "late");
    // Nobody has compared the answers: an error that came late is a finding besides.
    CHECK_THAT(verdict.reasons[1].text, ContainsSubstring("error 833") && !ContainsSubstring("was right"));
}

TEST_CASE("failed tries of a write are not said to be as many writes") {
    sim::Results results = sound_results();
    results.files[0].write_retries = 4;
    const reports::Remark remark = verdict_of(results).files[0].remarks.at(0);
    CHECK(remark.id == "write_retries");
    CHECK_THAT(remark.text, ContainsSubstring("4 times a write failed and was tried again."));
}

TEST_CASE("a full disk and an exhausted quota end a run with the same wording") {
    sim::Results results = full_disk_results();
    for (const int error : {ENOSPC, EDQUOT}) {
        results.outcome_reason = "/data/a.mdx: a write failed: " + std::error_code(error, std::generic_category()).message() + ".";
        CHECK(verdict_of(results).reasons[0].id == "no_space");
    }
}

TEST_CASE("a run that was stopped says so once") {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::stopped;
    results.outcome_reason = "The run was stopped before its end.";
    const std::string text = verdict_of(results).reasons[0].text;
    CHECK(text.starts_with("The run was stopped before its end: "));
    CHECK(text.find("stopped") == text.rfind("stopped"));
}

TEST_CASE("a run that was stopped says how many cycles it had completed, because one without an end is always stopped") {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::stopped;
    results.cycles_completed = 4;
    const auto reason = [&results] { return verdict_of(results).reasons.at(0); };
    CHECK_THAT(reason().text, ContainsSubstring("Complete before that, with an audit of every page: 4 cycles."));
    CHECK_THAT(reason().next, !ContainsSubstring("to its end"));
    results.cycles_completed = 0;
    CHECK_THAT(reason().text, !ContainsSubstring("Complete before that"));
}

TEST_CASE("a run whose group was not complete is not said to have ended early") {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::not_done;
    results.outcome_reason = "Of the 2 runs of the group night, rank 1 did not come, or was lost or cut off.";
    CHECK(verdict_of(results).reasons[0].id == "not_done");
    results.group.emplace().missing_ranks = {1};
    const Verdict verdict = verdict_of(results);
    CHECK(verdict.judgement == Judgement::incomplete);
    CHECK(verdict.reasons[0].id == "group_incomplete");
    CHECK_THAT(verdict.reasons[0].text,
               !ContainsSubstring("ended early") && ContainsSubstring("rank 1 did not come, or was lost or cut off"));
    CHECK_THAT(reports::group_text(results), ContainsSubstring("MISSING         rank 1 did not come, or was lost or cut off"));
    results.group->missing_ranks = {1, 3};
    CHECK_THAT(reports::group_text(results), ContainsSubstring("MISSING         ranks 1, 3 did not come, or were lost or cut off"));
}

TEST_CASE("a run without its witness, whose disk is full, is not said to have lacked space itself") {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::not_done;
    results.outcome_reason = "The witness w did not come back (the disk of the witness: No space left on device), so this run did not.";
    results.group.emplace().is_without_witness = true;
    CHECK(verdict_of(results).reasons[0].id == "not_done");
    results.group->is_without_witness = false;
    CHECK(verdict_of(results).reasons[0].id == "no_space");
}

TEST_CASE("a run that has begun and not ended has proven nothing") {
    sim::Results results;
    results.outcome = sim::Outcome::not_done;
    results.outcome_reason = "It is still at work.";
    results.is_unfinished = true;
    const Verdict verdict = verdict_of(results);
    CHECK(verdict.judgement == Judgement::incomplete);
    REQUIRE(verdict.reasons.size() == 1);
    CHECK(verdict.reasons[0].id == "unfinished");
    CHECK_THAT(verdict.reasons[0].text, ContainsSubstring("not from its end.") && ContainsSubstring("It is still at work."));
    CHECK_THAT(verdict.reasons[0].next, ContainsSubstring("ioproof verify"));
}

TEST_CASE("the report of a run that has not ended does not say that it is complete") {
    sim::Results results;
    results.outcome = sim::Outcome::not_done;
    CHECK_THAT(reports::text_report(results), ContainsSubstring("Stress Test Attempt Complete"));
    results.is_unfinished = true;
    CHECK_THAT(reports::text_report(results), ContainsSubstring("from the beginning of the test") && !ContainsSubstring("Complete"));
}

TEST_CASE("the rows of the table have unique ids and full sentences") {
    std::set<std::string_view> ids;
    for (const reports::Guidance& row : reports::guidance_table()) {
        CHECK(ids.insert(row.id).second);
        CHECK(row.text.ends_with('.'));
        CHECK((row.next.empty() || row.next.ends_with('.')));
        CHECK((row.grade == Grade::good || row.id == "file_findings" || !row.next.empty()));
    }
}
