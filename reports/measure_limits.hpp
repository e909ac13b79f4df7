// Limits on figures of a measurement, for pipelines: bench --fail-on 'p99.9 > 5 ms'. Parses a limit, and decides whether a measurement
// keeps it. Pure.
//
//   expression  [class "."] [direction "."] figure sign value ["in" file]
//   class       of --mix or --preset, as in log.p99
//   direction   read or write
//   figure      p25 … p99.9999999 (measure_percents()), average, longest: a time, with us, ms or s, and > or >=; of each direction of
//               each file by itself, the worst counts
//               requests_per_s, mb_per_s: a number, with < or <=; of all files and both directions together
//   file        path or name of the only file that counts
//
// Several expressions are separated by commas. Blanks are ignored.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/measure_rounds.hpp"
#include "sim/bench/measure_results.hpp"
#include "sim/bench/measure_spec.hpp"

namespace reports {

struct MeasureLimit {
    enum class Figure : std::uint8_t { percentile, average, longest, requests_per_s, mb_per_s };

    std::string expression;  // as typed, without surrounding blanks
    std::string label;       // class; empty: each
    sim::MeasureDirection direction = sim::MeasureDirection::both;
    Figure figure{};
    double percent = 0;
    bool at_limit = false;  // reaching the limit already exceeds it
    double limit = 0;       // microseconds, or a number
    std::string file;       // empty: each
};

// If one of them is invalid: nothing, and a sentence in `problem` that says what is allowed.
[[nodiscard]] std::optional<std::vector<MeasureLimit>> parse_measure_limits(std::string_view text, std::string& problem);

// What the limit names but the measurement does not have, for people; empty if the limit can be judged.
[[nodiscard]] std::string measure_limit_problem(const MeasureLimit& limit, const sim::MeasureTimespan& spec);

struct MeasureLimitResult {
    enum class Outcome : std::uint8_t { kept, exceeded, not_measured };
    std::string expression;
    Outcome outcome = Outcome::not_measured;
    double value = 0;      // microseconds, or a number, if it was measured
    std::string measured;  // the value, for people
    std::string where;     // "reads of /mnt/data/b.mdx"; if nothing was measured, where that was
    // A figure that was not measured does not count as kept.
    [[nodiscard]] bool is_kept() const { return outcome == Outcome::kept; }
};

// Over all rounds together.
[[nodiscard]] MeasureLimitResult evaluate_measure_limit(const MeasureLimit& limit, const MeasureRounds& rounds);

// "EXCEEDED p99.9 > 5 ms: 7.2 ms for reads of /mnt/data/b.mdx"
[[nodiscard]] std::string measure_limit_text(const MeasureLimitResult& result);
[[nodiscard]] nlohmann::ordered_json measure_limit_json(const MeasureLimitResult& result);

}  // namespace reports
