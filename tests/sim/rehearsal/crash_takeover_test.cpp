// What a power cut leaves must not trouble the next run, whatever the cut interrupted: a creation, a growth, a checkpoint.
#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/rehearsal/crash_tally.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/simulated_storage.hpp"

namespace {

using sim::CrashPlan;
using sim::CrashState;

class TakeoverSink final : public sim::EventSink {
public:
    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const sim::Finding& finding) override { findings += finding.description + "; "; }

    std::string findings;
};

}  // namespace

TEST_CASE("after a power cut the next run takes over what is left, or reports files that a cut left unsigned") {
    std::map<sim::CutReason, int> reasons;
    int taken_over = 0;
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= test::fewer_if_sanitized(16); ++seed) {
        CrashPlan drawn = sim::draw_crash_plan(seed, {});
        drawn.cut_count = 6;
        static_cast<void>(sim::rehearse_crash(drawn, [&](const CrashPlan& plan, CrashState& state) {
            INFO(fmt::format("seed {}, cut at moment {} ({}, {})", plan.seed, state.power.moment, name_of(state.reason),
                             name_of(state.phase)));
            ++reasons[state.reason];
            ums::VirtualClock clock;
            ums::SimulatedStorage disk(clock, ums::simulated_disk(plan.seed));
            for (auto& [path, file] : state.power.files) disk.put(path, std::move(file));
            TakeoverSink sink;
            sim::Simulation next(plan.options, disk, clock, sink);
            try {
                const sim::Outcome outcome = next.run().outcome;
                CHECK(outcome == sim::Outcome::passed);
                CHECK(sink.findings == "");
                ++taken_over;
            } catch (const sim::RefusedError& refusal) {
                // It might be somebody's data. The message gives the most likely explanation.
                CHECK(state.phase == sim::Phase::create);
                CHECK_THAT(refusal.what(),
                           ContainsSubstring("cut off while it created its files") || ContainsSubstring("its first page is damaged"));
                ++refused;
            }
        }));
    }
    if (test::fewer_if_sanitized(16) < 16) return;
    CHECK(refused > 0);
    CHECK(taken_over > 10 * refused);
    CHECK(reasons.size() == sim::kCutReasonCount);
}

TEST_CASE("a run that is cut while it replaces an earlier run's files leaves nothing that the storage could be blamed for") {
    int verified = 0;
    // Not every seed has a cut that can be verified.
    const std::uint64_t runs = std::max<std::uint64_t>(test::fewer_if_sanitized(16), 8);
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        CrashPlan drawn = sim::draw_crash_plan(seed, {});
        drawn.cut_count = 2;
        drawn.options.delete_files_at_startup = seed % 2 == 0;
        static_cast<void>(sim::rehearse_crash(drawn, [&](const CrashPlan& plan, CrashState& state) {
            if (state.phase != sim::Phase::main_run) return;
            auto start = std::make_shared<sim::CrashStart>(sim::CrashStart{{}, sim::WriteBook(plan.options), std::nullopt});
            for (auto& [path, file] : state.power.files) start->files[path] = std::move(file);
            CrashPlan next = plan;
            next.options.seed = plan.seed + 1000;
            next.cut_count = 12;
            next.start = std::move(start);
            static_cast<void>(sim::rehearse_crash(next, [&](const CrashPlan& of, CrashState& cut) {
                if (cut.phase != sim::Phase::create) return;
                INFO(fmt::format("seed {}, cut at moment {}", of.seed, cut.power.moment));
                try {
                    const sim::CrashVerdict verdict = sim::verify_cut(of, cut.power);
                    std::string findings;
                    for (const sim::Finding& finding : verdict.findings) findings += finding.place.path + ": " + finding.description + "; ";
                    CHECK(findings == "");
                    ++verified;
                } catch (const sim::RefusedError&) {
                    // No file with a signature is left.
                }
            }));
        }));
    }
    CHECK(verified > 0);
}
