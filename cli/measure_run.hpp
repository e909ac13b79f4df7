// Carries out measurements one after the other, in one process: signals, progress, rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "cli/finding_keeper.hpp"
#include "reports/measure_rounds.hpp"
#include "sim/bench/measure_results.hpp"
#include "sim/bench/measure_spec.hpp"

namespace cli {

// How often the same is measured.
struct RoundPlan {
    std::uint32_t rounds = 1;
    bool until_stable = false;             // until steady state, `rounds` at most
    std::optional<double> within_percent;  // until the 95 % confidence interval is that narrow, `rounds` at most

    // What has been measured is enough.
    [[nodiscard]] bool is_enough(const reports::MeasureRounds& measured) const;
};

// Runs on the thread of the work: measures one spec after the other by `measure` until it returns.
class MeasureSession {
public:
    using Measure = std::function<sim::MeasureResults(const sim::MeasureSpec& spec, const std::string& title)>;
    // Nothing more is begun once a person has stopped it. `title`: for the progress, as "round 2 of 5".
    using Work = std::function<void(const Measure& measure, const std::function<bool()>& is_stopped)>;

    explicit MeasureSession(Console& console) : console_(console) {}

    // Blocks until `work` has returned, and passes on what it threw. Once per object.
    void run(const Work& work);

    // Of all measurements; the first ones. After run().
    [[nodiscard]] const std::vector<sim::Finding>& findings() const { return findings_.findings(); }

private:
    Console& console_;
    FindingKeeper findings_;
};

// Rounds of one spec, as the plan says; `on_round` gets each result. The last result is returned.
[[nodiscard]] sim::MeasureResults measure_rounds(const MeasureSession::Measure& measure, const std::function<bool()>& is_stopped,
                                                 const sim::MeasureSpec& spec, const RoundPlan& plan, reports::MeasureRounds& rounds,
                                                 const std::function<void(const sim::MeasureResults&)>& on_round);

[[nodiscard]] ExitCode measure_exit_code(const sim::MeasureResults& results);

// Missing files are created with this size unless another was requested.
inline constexpr std::uint64_t kMeasureSizeBytes = std::uint64_t{1} << 30;
void size_missing_files(sim::MeasureSpec& spec);

}  // namespace cli
