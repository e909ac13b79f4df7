#include "reports/durability_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "reports/verdict.hpp"
#include "tests/support/catch.hpp"

namespace {

sim::Results verified() {
    sim::Results results;
    results.outcome = sim::Outcome::passed;
    results.durability.emplace();
    results.durability->log_blocks = 1306;
    results.durability->first_block = 4651;
    results.durability->last_block = 5956;
    results.durability->hardened_block = 5954;
    results.durability->checkpoint_lsn = 0x1202001000;
    results.durability->pages_proven = 16096;
    results.durability->regions_compared = 256;
    results.files.emplace_back().pages_verified = 16384;
    return results;
}

bool says(const sim::Results& results, std::string_view id) {
    const reports::Verdict verdict = reports::verdict_of(results);
    return std::any_of(verdict.reasons.begin(), verdict.reasons.end(), [id](const auto& reason) { return reason.id == id; });
}

}  // namespace

TEST_CASE("a verification says how far the log reaches, and what it proves about the pages") {
    const std::string text = reports::durability_text(verified());
    CHECK_THAT(text, ContainsSubstring("1,306 blocks, number 4651 to 5956"));
    CHECK_THAT(text, ContainsSubstring("acknowledged up to number 5954 at least"));
    CHECK_THAT(text, ContainsSubstring("LSN 0x1202001000") && ContainsSubstring("16,096 whose version the log proves"));
    CHECK_THAT(text, !ContainsSubstring("MISSING") && !ContainsSubstring("WRONG"));
    CHECK(reports::durability_text(sim::Results{}).empty());
}

TEST_CASE("gaps in the log and wrong pages are shown in capitals") {
    sim::Results results = verified();
    results.durability->missing_blocks = 2;
    results.durability->blocks_behind = 56;
    results.durability->wrong_pages = 3;
    CHECK_THAT(reports::durability_text(results),
               ContainsSubstring("56 blocks after the") && ContainsSubstring("2 MISSING") && ContainsSubstring("3 WRONG"));
}

TEST_CASE("a resumed run says what it took over, and what it gave up") {
    CHECK(reports::resume_text(sim::Results{}).empty());
    sim::Results results;
    results.resumed = sim::ResumeResult{.incarnation = 3, .last_block = 99, .pages_redone = 1200};
    const std::string text = reports::resume_text(results);
    CHECK_THAT(text, ContainsSubstring("incarnation 3") && ContainsSubstring("after block 99") && ContainsSubstring("1,200 rewritten"));
    CHECK_THAT(text, !ContainsSubstring("torn") && !ContainsSubstring("given up") && !ContainsSubstring("GIVEN UP"));
    results.resumed->torn_pages = 5;
    results.resumed->pages_given_up = 2;
    results.resumed->blocks_given_up = 1;
    CHECK_THAT(reports::resume_text(results),
               ContainsSubstring("5 torn by the cut") && ContainsSubstring("2 GIVEN") && ContainsSubstring("1 block after it given up"));
}

TEST_CASE("torn pages, and files for which durability was not requested, are separate reasons of the verdict") {
    sim::Results results = verified();
    CHECK_FALSE(says(results, "verify_torn"));
    CHECK_FALSE(says(results, "verify_unasked"));
    results.durability->torn_pages = 1;
    CHECK_THAT(reports::durability_text(results), ContainsSubstring("torn            1 page in flight at the cut"));
    results.durability->undurable_files = 2;
    CHECK(says(results, "verify_torn"));
    CHECK(says(results, "verify_unasked"));
}

TEST_CASE("wrong pages that have no finding are not left out of the verdict") {
    sim::Results results = verified();
    CHECK_FALSE(says(results, "verify_unreported"));
    results.outcome = sim::Outcome::failed;
    results.finding_count = 1000;
    results.durability->wrong_pages = 2034;
    results.durability->unreported_pages = 1034;
    REQUIRE(says(results, "verify_unreported"));
    CHECK_THAT(reports::verdict_of(results).reasons.back().text, ContainsSubstring("1,034 more pages are wrong, too"));
}

TEST_CASE("what restricts the promises that were demanded is in the report") {
    sim::Results results = verified();
    results.durability->promises = sim::PromisesResult{};
    results.durability->promises->are_used = true;
    results.durability->promises->remark = "Unless-the-clock-was-set-back.";
    CHECK_THAT(reports::durability_text(results), ContainsSubstring("Unless-the-clock-was-set-back."));
}

TEST_CASE("a ledger or witness proves the end of the log only up to its last promise, and the verdict says so") {
    sim::Results results = verified();
    results.durability->promises = sim::PromisesResult{.keeper = "the ledger /d/x", .are_used = true};
    results.durability->promises->last_utc_us = results.durability->last_write_utc_us;
    const reports::Verdict verdict = reports::verdict_of(results);
    const auto scope =
        std::find_if(verdict.reasons.begin(), verdict.reasons.end(), [](const auto& reason) { return reason.id == "verify_scope_ledger"; });
    REQUIRE(scope != verdict.reasons.end());
    CHECK_THAT(scope->text, ContainsSubstring("unless that end was newer than the last promise."));
}

TEST_CASE("a ledger whose promises ended long before the log is not said to show what the log lost at its end") {
    sim::Results results = verified();
    results.durability->last_write_utc_us = 1'700'000'090'000'000;
    results.durability->promises = sim::PromisesResult{};
    results.durability->promises->are_used = true;
    results.durability->promises->last_utc_us = 1'700'000'089'995'000;
    CHECK(says(results, "verify_scope_ledger"));
    results.durability->promises->last_utc_us = 1'700'000'000'000'000;
    CHECK_FALSE(says(results, "verify_scope_ledger"));
    REQUIRE(says(results, "verify_ledger_short"));
    CHECK_THAT(reports::verdict_of(results).reasons.back().text, ContainsSubstring("was made 1 min 30 s before the last block"));
}

TEST_CASE("the name of a ledger cannot begin a line of the report") {
    const std::string name = "the ledger /d/x\nPASS: everything was verified.";
    sim::Results results = verified();
    results.promising = sim::PromiseKeepingResult{};
    results.promising->keeper = name;
    results.promising->stopped_because = name + " cannot be written";
    CHECK_THAT(reports::promising_text(results),
               ContainsSubstring("Promised to the ledger /d/x\\u000aPASS") && !ContainsSubstring("\nPASS"));
    results.durability->promises = sim::PromisesResult{};
    results.durability->promises->keeper = name;
    CHECK_THAT(reports::durability_text(results), ContainsSubstring("x\\u000aPASS") && !ContainsSubstring("\nPASS"));
}
