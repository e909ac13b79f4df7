// Repeated measurements, and what they say together. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reports/statistics.hpp"
#include "sim/bench/measure_results.hpp"

namespace reports {

// One target in all rounds: histograms are added, which loses nothing.
struct RoundsTarget {
    std::string path;
    std::string label;  // class of work, or empty
    sim::MeasureCounts reads;
    sim::MeasureCounts writes;
};

struct MeasureRounds {
    std::vector<double> requests_per_s;   // of each round
    std::vector<double> mean_latency_us;  // likewise
    std::vector<RoundsTarget> targets;
    std::uint64_t duration_ns = 0;  // that was measured in all
    bool asked_for_steady_state = false;

    // The next round, of the same targets.
    void add(const sim::MeasureTimespanResults& round);
    [[nodiscard]] bool is_steady() const { return steady_state_of(requests_per_s).is_reached; }
};

[[nodiscard]] std::string rounds_text(const MeasureRounds& rounds);
// Without the figures of each round, which add_round() puts there.
[[nodiscard]] nlohmann::ordered_json rounds_json(const MeasureRounds& rounds);

// The figures of one round in the document of all: appends what measure_json() says about the round to "totals" and "targets" of `json`.
void add_round(nlohmann::ordered_json& json, const nlohmann::ordered_json& round);

}  // namespace reports
