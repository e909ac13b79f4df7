// Carries out measurements one after the other in one process: signals, progress, rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/measuring/finding_keeper.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "reports/measure_rounds.hpp"
#include "sim/bench/measure_results.hpp"
#include "sim/bench/measure_spec.hpp"

namespace cli {

// How often a measurement is repeated.
struct RoundPlan {
    std::uint32_t rounds = 1;
    bool until_stable = false;             // until steady state, at most `rounds`
    std::optional<double> within_percent;  // until the 95 % confidence interval is this narrow, at most `rounds`

    // Whether enough has been measured.
    [[nodiscard]] bool is_enough(const reports::MeasureRounds& measured) const;
};

// Runs the work on a thread of its own. The work measures one spec after the other by calling `measure`, until it returns.
class MeasureSession {
public:
    using Measure = std::function<sim::MeasureResults(const sim::MeasureSpec& spec, const std::string& title)>;
    // After a stop, the work must begin nothing more. `title`: for the progress line, such as "round 2 of 5".
    using Work = std::function<void(const Measure& measure, const std::function<bool()>& is_stopped)>;

    explicit MeasureSession(Console& console) : console_(console) {}

    // Blocks until `work` has returned; rethrows what it threw. Once per object.
    void run(const Work& work);

    // Of all measurements; the first ones. After run().
    [[nodiscard]] const std::vector<sim::Finding>& findings() const { return findings_.findings(); }

private:
    Console& console_;
    FindingKeeper findings_;
};

// Measures rounds of one spec, as the plan says; `on_round` receives each result. Returns the last result; if a round
// after the first cannot begin, that of the round before it, with the reason for the failure.
[[nodiscard]] sim::MeasureResults measure_rounds(const MeasureSession::Measure& measure, const std::function<bool()>& is_stopped,
                                                 const sim::MeasureSpec& spec, const RoundPlan& plan, reports::MeasureRounds& rounds,
                                                 const std::function<void(const sim::MeasureResults&)>& on_round);

// Of sim::MeasureResults or sim::BenchResults.
template <typename Results>
[[nodiscard]] ExitCode measure_exit_code(const Results& results) {
    if (results.finding_count > 0) return ExitCode::integrity;
    if (!results.failure_reason.empty()) return ExitCode::environment;
    return results.stopped ? ExitCode::stopped : ExitCode::ok;
}

// The size of files that have to be created, unless another was requested.
inline constexpr std::uint64_t kMeasureSizeBytes = std::uint64_t{1} << 30;
void size_missing_files(sim::MeasureSpec& spec);

}  // namespace cli
