// Power cuts on devices that lie: what the files prove is found, and for what is not found there is a rule that says why.
#include "sim/rehearsal/crash_tally.hpp"

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

namespace {

using sim::CrashPlan;
using sim::CrashState;
using sim::CrashTally;

std::uint64_t tally_number(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

CrashTally rehearse_cuts(ums::PowerLies lies) {
    const std::uint64_t first = tally_number("IOPROOF_SEED", 1);
    const std::uint64_t count = tally_number("IOPROOF_SEEDS", test::virtual_runs(16));
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

}  // namespace

TEST_CASE("an honest device loses nothing in a power cut, the files prove nothing against it, and it is not blamed") {
    const CrashTally tally = rehearse_cuts({});
    CHECK(tally.damaged == 0);
    CHECK(tally.blamed == 0);
}

TEST_CASE("of what a lying device loses all is found that the files prove, and a rule explains the rest") {
    const auto lie = static_cast<ums::PowerLie>(GENERATE(range(0U, ums::kPowerLieCount)));
    INFO(name_of(lie));
    const CrashTally tally = rehearse_cuts({lie});
    CHECK(tally.found == tally.provable);
    CHECK(tally.blamed == 0);
    // What a volume was some time before is in itself consistent.
    CHECK((tally.provable == 0) == (lie == ums::PowerLie::rolled_back));
    if (std::getenv("IOPROOF_VERBOSE") != nullptr) {
        fmt::print("{}: {} cuts, {} damaged, {} provable, {} found, unproven {}\n", name_of(lie), tally.cuts, tally.damaged, tally.provable,
                   tally.found, fmt::join(tally.unproven, " "));
    }
}
