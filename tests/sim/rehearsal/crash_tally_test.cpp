// Power cuts on devices that lie: every provable loss is found, and a rule explains each one that is not found. After power cuts, a
// verification never blames an honest device.
#include "sim/rehearsal/crash_tally.hpp"

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/limits.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"

namespace {

using sim::CrashPlan;
using sim::CrashState;
using sim::CrashTally;
using sim::CrashVerdict;
using ums::testing::number_from_environment;

CrashTally rehearse_cuts(ums::PowerLies lies) {
    const std::uint64_t first = number_from_environment("IOPROOF_SEED", 1);
    const std::uint64_t count = number_from_environment("IOPROOF_SEEDS", test::fewer_if_sanitized(16));
    CrashTally sum;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        static_cast<void>(sim::rehearse_crash(sim::draw_crash_plan(seed, lies), [&](const CrashPlan& plan, CrashState& state) {
            const sim::CutJudgement judgement = sim::judge_cut(plan, state);
            sum.add(judgement.tally);
            INFO(judgement.text);
            CHECK(judgement.problem == "");
        }));
    }
    return sum;
}

// After each cut another one, in the run that continues with what was left.
CrashTally rehearse_second_cuts(ums::PowerLies lies) {
    const std::uint64_t first = number_from_environment("IOPROOF_SEED", 1);
    const std::uint64_t count = number_from_environment("IOPROOF_SEEDS", test::fewer_if_sanitized(12));
    CrashTally sum;
    const auto judge_second = [&sum](const CrashPlan& plan, CrashState& state) {
        const sim::CutJudgement judgement = sim::judge_cut(plan, state);
        sum.add(judgement.tally);
        INFO("the second cut: " << judgement.text);
        CHECK(judgement.problem == "");
    };
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        static_cast<void>(sim::rehearse_crash(sim::draw_crash_plan(seed, lies), [&](const CrashPlan& plan, CrashState& state) {
            const auto second = sim::plan_second_cut(plan, state);
            const sim::CutJudgement judgement = sim::judge_cut(plan, state);
            const bool can_go_on = second && judgement.is_intact;
            if (!can_go_on) return;
            INFO(judgement.text);
            const sim::CrashReport report = sim::rehearse_crash(*second, judge_second);
            INFO(fmt::format("{}", fmt::join(report.log, "\n")));
            CHECK(fmt::format("{}", fmt::join(report.problems, "\n")) == "");
        }));
    }
    return sum;
}

std::string describe_cut(const CrashPlan& plan, const CrashState& state) {
    return fmt::format("seed {}, cut at moment {} ({}, {}), mix {}, sectors of {}", plan.seed, state.power.moment, name_of(state.reason),
                       name_of(state.phase), name_of(state.power.mix), plan.device.atomic_unit_bytes);
}

}  // namespace

TEST_CASE("an honest device loses nothing in a power cut, the files prove nothing against it, and it is not blamed") {
    const CrashTally tally = rehearse_cuts({});
    CHECK(tally.damaged == 0);
    CHECK(tally.blamed == 0);
}

TEST_CASE("a run that continues after a power cut survives the next one, and an honest device is not blamed") {
    const CrashTally tally = rehearse_second_cuts({});
    CHECK(tally.cuts > 0);
    CHECK(tally.damaged == 0);
    CHECK(tally.blamed == 0);
}

TEST_CASE("all provable losses of a lying device in the second cut are found, and a rule explains the rest") {
    const auto lie = static_cast<ums::PowerLie>(GENERATE(range(0U, ums::kPowerLieCount)));
    INFO(name_of(lie));
    const CrashTally tally = rehearse_second_cuts({lie});
    CHECK(tally.found == tally.provable);
    CHECK(tally.blamed == 0);
}

TEST_CASE("all provable losses of a lying device are found, and a rule explains the rest") {
    const auto lie = static_cast<ums::PowerLie>(GENERATE(range(0U, ums::kPowerLieCount)));
    INFO(name_of(lie));
    const CrashTally tally = rehearse_cuts({lie});
    CHECK(tally.found == tally.provable);
    CHECK(tally.blamed == 0);
    // The earlier state of a volume is consistent in itself.
    CHECK((tally.provable == 0) == (lie == ums::PowerLie::rolled_back));
    if (std::getenv("IOPROOF_VERBOSE") != nullptr) {
        fmt::print("{}: {} cuts, {} damaged, {} provable, {} found, unproven {}\n", name_of(lie), tally.cuts, tally.damaged, tally.provable,
                   tally.found, fmt::join(tally.unproven, " "));
    }
}

TEST_CASE("an honest device is never blamed after a power cut") {
    const std::uint64_t first = number_from_environment("IOPROOF_SEED", 1);
    const std::uint64_t count = number_from_environment("IOPROOF_SEEDS", test::fewer_if_sanitized(24));
    std::uint64_t passed = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const CrashPlan plan = sim::draw_crash_plan(seed, {});
        static_cast<void>(sim::rehearse_crash(plan, [&](const CrashPlan& of, CrashState& state) {
            INFO(describe_cut(of, state));
            try {
                const CrashVerdict verdict = sim::verify_cut(of, state.power);
                for (const sim::Finding& finding : verdict.findings) {
                    UNSCOPED_INFO(fmt::format("{} {} page {}: {} {}", finding.place.path, name_of(finding.kind), finding.place.page_id,
                                              finding.description, fmt::join(finding.reasoning, " ")));
                }
                CHECK(verdict.findings.empty());
                if (verdict.outcome == sim::Outcome::passed) ++passed;
                if (verdict.outcome != sim::Outcome::passed) CHECK(state.phase <= sim::Phase::initial_checkpoint);
            } catch (const sim::RefusedError&) {
                CHECK(state.phase == sim::Phase::create);  // no file had a durable name
            }
        }));
    }
    CHECK(passed * 2 > count);
}

TEST_CASE("if writes are never made durable, a power cut takes what counted, and the verification shows it and says why") {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= test::fewer_if_sanitized(20); ++seed) {
        CrashPlan plan = sim::draw_crash_plan(seed, {});
        plan.options.durability = sim::Durability::none;
        for (sim::FileOptions& file : plan.options.files) file.durability = sim::Durability::inherited;
        static_cast<void>(sim::rehearse_crash(plan, [&](const CrashPlan& judged, CrashState& state) {
            if (state.phase != sim::Phase::main_run) return;
            const sim::CrashVerdict verdict = sim::verify_cut(judged, state.power);
            found += verdict.findings.size();
            CHECK(verdict.durability.undurable_files >= 2);
        }));
    }
    CHECK(found > 0);
}

TEST_CASE("a verification must fail with what it finds, pass with files of which something can be said, and be refused only without any") {
    const sim::DueEnd sound{false, sim::Outcome::passed};
    CrashVerdict verdict;
    CHECK(sim::wrong_end(verdict, sound).empty());
    verdict.outcome = sim::Outcome::not_done;
    verdict.reason = "The log is empty.";
    CHECK_THAT(sim::wrong_end(verdict, sound), ContainsSubstring("The log is empty."));
    CHECK(sim::wrong_end(verdict, {false, sim::Outcome::not_done}).empty());
    CHECK(sim::wrong_end(verdict, {}).empty());
    verdict.outcome = sim::Outcome::passed;
    CHECK_FALSE(sim::wrong_end(verdict, {false, sim::Outcome::not_done}).empty());
    verdict.outcome = sim::Outcome::failed;
    CHECK_FALSE(sim::wrong_end(verdict, sound).empty());
    verdict.findings.emplace_back();
    CHECK(sim::wrong_end(verdict, sound).empty());
    verdict.outcome = sim::Outcome::not_done;
    CHECK_FALSE(sim::wrong_end(verdict, {false, sim::Outcome::not_done}).empty());
    CHECK_FALSE(sim::wrong_end(std::nullopt, sound).empty());
    CHECK(sim::wrong_end(std::nullopt, {true, std::nullopt}).empty());
}

TEST_CASE("pages that cannot be read hide themselves and the sums of their region, a part of the log may hide all that files prove") {
    sim::Options options;
    options.files = {{.path = "a.mdx"}, {.path = "log.ldx", .is_log = true}};
    const auto page_proof = [](std::uint32_t page_id, bool is_by_sums) {
        const std::uint64_t offset_bytes = std::uint64_t{page_id} * sim::kPageBytes;
        sim::CrashProof proof{sim::CrashRule::page_least, "a.mdx", offset_bytes, sim::kPageBytes, "page is old"};
        proof.is_by_sums = is_by_sums;
        proof.region_begin_bytes = page_id / 64 * 64 * std::uint64_t{sim::kPageBytes};
        proof.region_end_bytes = proof.region_begin_bytes + 64 * sim::kPageBytes;
        return proof;
    };
    const auto problems_of = [&](std::vector<sim::CrashProof> proofs, const std::string& unreadable_path) {
        sim::CrashExplanation explanation;
        explanation.proofs = std::move(proofs);
        sim::InjectedFault fault;
        fault.kind = fault.expected = sim::FindingKind::io_error;
        fault.path = unreadable_path;
        fault.offset_bytes = 7 * sim::kPageBytes;
        fault.size_bytes = sim::kPageBytes;
        fault.exposed = true;
        sim::Finding finding;
        finding.kind = sim::FindingKind::io_error;
        finding.place.path = fault.path;
        finding.place.is_log = fault.path != "a.mdx";
        finding.place.offset_bytes = fault.offset_bytes;
        finding.place.size_bytes = fault.size_bytes;
        CrashVerdict verdict;
        verdict.faults = {fault};
        verdict.findings = {finding};
        return sim::problems_if_unreadable(options, explanation, {}, verdict).size();
    };
    CHECK(problems_of({page_proof(7, false)}, "a.mdx") == 0);
    CHECK(problems_of({page_proof(9, true)}, "a.mdx") == 0);
    CHECK(problems_of({page_proof(9, false)}, "a.mdx") == 1);
    CHECK(problems_of({page_proof(70, true)}, "a.mdx") == 1);
    CHECK(problems_of({page_proof(9, false)}, "log.ldx") == 0);
}

TEST_CASE("while parts of the log cannot be read, a lost page may be proven by an earlier checkpoint, and so in an older version") {
    sim::Options options;
    options.files = {{.path = "a.mdx"}, {.path = "log.ldx", .is_log = true}};
    sim::CrashExplanation explanation;
    explanation.proofs.push_back({sim::CrashRule::page_least, "a.mdx", 9 * sim::kPageBytes, sim::kPageBytes, "page is old"});
    explanation.proofs.back().least_version = 7;
    explanation.proofs.back().newest_version = 8;
    const auto problems_of = [&](std::uint32_t version, const std::string& unreadable_path) {
        sim::InjectedFault unreadable;
        unreadable.kind = unreadable.expected = sim::FindingKind::io_error;
        unreadable.path = unreadable_path;
        unreadable.offset_bytes = 20 * sim::kPageBytes;
        unreadable.size_bytes = sim::kPageBytes;
        sim::Finding lost;
        lost.kind = sim::FindingKind::lost_write;
        lost.place.path = "a.mdx";
        lost.place.page_id = 9;
        lost.place.offset_bytes = 9 * sim::kPageBytes;
        lost.place.size_bytes = sim::kPageBytes;
        lost.expected = sim::ExpectedIdentity{.version = version};
        CrashVerdict verdict;
        verdict.faults = {unreadable};
        verdict.findings = {lost};
        return sim::problems_if_unreadable(options, explanation, {}, verdict).size();
    };
    CHECK(problems_of(7, "a.mdx") == 0);
    CHECK(problems_of(5, "a.mdx") == 1);
    CHECK(problems_of(5, "log.ldx") == 0);
    CHECK(problems_of(9, "log.ldx") == 1);
}
