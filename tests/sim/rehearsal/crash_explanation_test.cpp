// Why the files that a power cut left do not prove a loss.
#include "sim/rehearsal/crash_explanation.hpp"

#include <algorithm>
#include <cstdint>

#include "sim/rehearsal/crash_rehearsal.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("a growth of the log that no block has used yet is lost after the end of the log") {
    const sim::CrashPlan plan = sim::draw_crash_plan(1, {});
    std::uint32_t cuts = 0;
    static_cast<void>(sim::rehearse_crash(plan, [&](const sim::CrashPlan&, sim::CrashState& state) {
        if (state.phase != sim::Phase::main_run) return;
        const auto& files = plan.options.files;
        const auto log = std::find_if(files.begin(), files.end(), [](const auto& file) { return file.is_log; });
        const std::uint64_t size_bytes = state.power.files.at(log->path)->size_bytes();
        state.power.lost.push_back({log->path, ums::LostPart::size, size_bytes, 1 << 20});
        const sim::CrashExplanation explanation = sim::explain_cut(plan, state);
        CHECK(explanation.proofs.empty());
        CHECK(explanation.reason() == sim::MissReason::end_of_log);
        ++cuts;
    }));
    CHECK(cuts > 0);
}
