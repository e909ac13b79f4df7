#include "sim/run/kept_phases.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using sim::KeptPhases;
using sim::Phase;
using sim::PhaseResult;

namespace {

// Two phases in each cycle; the second one of cycle N takes N us and reads twice as many pages.
std::vector<PhaseResult> phases_kept(std::uint32_t cycles) {
    KeptPhases kept;
    for (std::uint32_t cycle = 1; cycle <= cycles; ++cycle) {
        PhaseResult phase;
        phase.phase = Phase::initial_update;
        phase.cycle = cycle;
        kept.add(phase);
        phase.phase = Phase::main_run;
        phase.duration_us = cycle;
        phase.pages_read = phase.pages_written = phase.pages_verified = phase.log_bytes_written = std::uint64_t{2} * cycle;
        kept.add(phase);
    }
    return kept.take();
}

}  // namespace

TEST_CASE("the phases of a short run are all kept, in order") {
    const std::vector<PhaseResult> kept = phases_kept(KeptPhases::kWholeAtEachEnd);
    REQUIRE(kept.size() == 2 * KeptPhases::kWholeAtEachEnd);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        REQUIRE(kept[i].cycle == i / 2 + 1);
        REQUIRE(kept[i].count == 1);
    }
}

TEST_CASE("of a long run the first and the last phases are kept, and the sum of each kind between them") {
    constexpr std::uint32_t kCycles = 10'000;
    const std::vector<PhaseResult> kept = phases_kept(kCycles);
    REQUIRE(kept.size() == 2 * KeptPhases::kWholeAtEachEnd + 2);
    CHECK(kept[KeptPhases::kWholeAtEachEnd - 1].cycle == KeptPhases::kWholeAtEachEnd / 2);
    CHECK(kept[KeptPhases::kWholeAtEachEnd + 2].cycle == kCycles - KeptPhases::kWholeAtEachEnd / 2 + 1);
    CHECK(kept.back().cycle == kCycles);
    const PhaseResult& sum = kept[KeptPhases::kWholeAtEachEnd + 1];
    CHECK(sum.phase == Phase::main_run);
    CHECK(sum.cycle == KeptPhases::kWholeAtEachEnd / 2 + 1);
    CHECK(sum.count == kCycles - KeptPhases::kWholeAtEachEnd);
    PhaseResult all;
    all.count = 0;
    for (const PhaseResult& phase : kept) all += phase;
    constexpr std::uint64_t kSum = std::uint64_t{kCycles} * (kCycles + 1) / 2;
    CHECK(all.count == std::uint64_t{2} * kCycles);
    CHECK(all.duration_us == kSum);
    for (const std::uint64_t pages : {all.pages_read, all.pages_written, all.pages_verified, all.log_bytes_written})
        CHECK(pages == 2 * kSum);
}
