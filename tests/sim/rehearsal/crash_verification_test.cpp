// What a verification says after power cuts: an honest device is never blamed.
#include "sim/rehearsal/crash_verification.hpp"

#include <string>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"

namespace {

using sim::CrashPlan;
using sim::CrashState;
using sim::CrashVerdict;
using ums::testing::number_from_environment;

std::string describe_cut(const CrashPlan& plan, const CrashState& state) {
    return fmt::format("seed {}, cut at moment {} ({}, {}), mix {}, sectors of {}", plan.seed, state.power.moment, name_of(state.reason),
                       name_of(state.phase), name_of(state.power.mix), plan.device.atomic_unit_bytes);
}

}  // namespace

TEST_CASE("an honest device is never blamed after a power cut") {
    const std::uint64_t first = number_from_environment("IOPROOF_SEED", 1);
    const std::uint64_t count = number_from_environment("IOPROOF_SEEDS", test::virtual_runs(24));
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

TEST_CASE("where nobody asks for durability a power cut takes what counted, and the verification shows it and says why") {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= test::virtual_runs(20); ++seed) {
        CrashPlan plan = sim::draw_crash_plan(seed, {});
        plan.options.durability = sim::Durability::none;
        static_cast<void>(sim::rehearse_crash(plan, [&](const CrashPlan& judged, CrashState& state) {
            if (state.phase != sim::Phase::main_run) return;
            const sim::CrashVerdict verdict = sim::verify_cut(judged, state.power);
            found += verdict.findings.size();
            CHECK(verdict.durability.undurable_files >= 2);
        }));
    }
    CHECK(found > 0);
}
