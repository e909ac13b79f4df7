// Repeated measurements, and what they show together. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/statistics.hpp"
#include "sim/bench/measure_results.hpp"

namespace reports {

// One target in all rounds: its histograms are added, which loses nothing.
struct RoundsTarget {
    std::string path;                 // as the user named it: symbolic links may lead elsewhere
    std::string label;                // class of work, or empty
    std::uint32_t write_percent = 0;  // of the requests, as asked
    sim::MeasureCounts reads;
    sim::MeasureCounts writes;
};

struct MeasureRounds {
    std::vector<double> requests_per_s;                  // of each round
    std::vector<std::optional<double>> mean_latency_us;  // likewise; nothing without requests
    std::vector<RoundsTarget> targets;
    std::uint64_t duration_ns = 0;  // measured in all rounds together
    bool asked_for_steady_state = false;

    // Adds the next round, which must have the same targets.
    void add(const sim::MeasureTimespanResults& round);
    [[nodiscard]] bool is_steady() const { return steady_state_of(requests_per_s).is_reached; }
};

[[nodiscard]] std::string rounds_text(const MeasureRounds& rounds);
// Without the figures of each round, which add_round() appends.
[[nodiscard]] nlohmann::ordered_json rounds_json(const MeasureRounds& rounds);

// Appends what measure_json() says about one round to "totals" and "targets" of `json`, the document of all rounds.
void add_round(nlohmann::ordered_json& json, const nlohmann::ordered_json& round);

}  // namespace reports
