// The alarm works: whatever a simulated disk does wrong is found and named correctly, and a sound disk is not blamed. `ioproof rehearse`
// does the same with more seeds.
#include "sim/rehearsal/rehearsal.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using sim::FindingKind;
using sim::RehearsalReport;
using sim::rehearse;

namespace {

constexpr std::uint64_t kSeeds = test::fewer_if_sanitized(50);

FindingKind kind_at(std::size_t index) { return static_cast<FindingKind>(index); }

// All on two threads, as the command runs them.
void for_all(std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
    std::atomic<std::uint64_t> next{0};
    const auto loop = [&] {
        for (std::uint64_t index = next++; index < count; index = next++) work(index);
    };
    std::thread other(loop);
    loop();
    other.join();
}

std::string text_of(const RehearsalReport& report) { return fmt::format("{}", fmt::join(report.match.problems, "\n")); }

}  // namespace

TEST_CASE("every fault of every class that reaches the program is found and named correctly, and nothing else is reported") {
    constexpr std::uint64_t first_seed = 1;  // .ci/run uses new ones each time
    std::mutex mutex;
    sim::FaultTallies tallies{};
    std::vector<std::string> problems;
    for_all(kSeeds * sim::kFindingKindCount, [&](std::uint64_t index) {
        const std::uint64_t seed = first_seed + index / sim::kFindingKindCount;
        const FindingKind kind = kind_at(index % sim::kFindingKindCount);
        const RehearsalReport report = rehearse(seed, sim::draw_fault_plans(kind, seed));
        const std::lock_guard guard(mutex);
        add_tallies(tallies, report.match.tallies);
        if (!report.is_good()) problems.push_back(fmt::format("rehearse --fault {} --seed {}: {}", name_of(kind), seed, text_of(report)));
    });
    INFO(fmt::format("{}", fmt::join(problems, "\n")));
    CHECK(problems.empty());
    for (std::size_t i = 0; i < sim::kFindingKindCount; ++i) {
        INFO(name_of(kind_at(i)));
        CHECK(tallies[i].exposed >= kSeeds / 5);
        CHECK(tallies[i].classified_right == tallies[i].exposed);
        CHECK(tallies[i].false_alarms == 0);
    }
}

TEST_CASE("a sound disk is not blamed, whatever the seed") {
    constexpr std::uint64_t first_seed = 1;
    std::mutex mutex;
    std::vector<std::string> problems;
    for_all(kSeeds, [&](std::uint64_t index) {
        const RehearsalReport report = rehearse(first_seed + index, {});
        const std::lock_guard guard(mutex);
        const bool is_clean = report.is_good() && report.findings.empty() && report.outcome == sim::Outcome::passed;
        if (!is_clean) problems.push_back(fmt::format("seed {}: {}", first_seed + index, text_of(report)));
    });
    INFO(fmt::format("{}", fmt::join(problems, "\n")));
    CHECK(problems.empty());
}
