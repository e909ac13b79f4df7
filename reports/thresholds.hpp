// Limits on figures of a run, for pipelines: --fail-on 'log_flush.p99 > 5 ms'. Parses a limit, and decides whether a run keeps it. Pure.
//
//   expression  [class "."] figure (">" | ">=") value ["in" file]
//   class       read, scatter_read, write, gather_write, log_flush; without it each class by itself
//   figure      p25 … p99.999999 (sim::kLatencyPercents), average, longest: a time, with us, ms or s
//               throttled, long_io, warnings: a whole number, without a class
//   file        path or name of a file of the run, as it was given or without symbolic links; without it each file by itself
//
// Several expressions are separated by commas. Blanks are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/latency_result.hpp"
#include "sim/results.hpp"

namespace reports {

struct Threshold {
    enum class Figure : std::uint8_t { percentile, average, longest, throttled, long_io, warnings };

    std::string expression;  // as typed, without surrounding blanks
    std::optional<sim::IoClass> io_class{};
    Figure figure{};
    std::size_t percentile = 0;  // index of sim::kLatencyPercents
    bool at_limit = false;       // ">=": reaching the limit already exceeds it
    double limit = 0;            // microseconds, or a number
    std::string file;            // empty: each
};

// If one of them is invalid: nothing, and a sentence in `problem` that says what is allowed.
[[nodiscard]] std::optional<std::vector<Threshold>> parse_thresholds(std::string_view text, std::string& problem);

// True if the threshold names this file, by its path or its name, or by those under which the user knows it. `named_as`: as of
// sim::FileResult, and may be empty.
[[nodiscard]] bool is_about_file(const Threshold& threshold, std::string_view path, std::string_view named_as);

// The worst of all figures that the threshold covers.
[[nodiscard]] sim::ThresholdResult evaluate_threshold(const Threshold& threshold, const sim::Results& results);

// What exceeds the limit, for people: "log_flush.p99 > 5 ms: 7.2 ms was measured for log_flush of /mnt/log/sqliosim.ldx".
[[nodiscard]] std::string threshold_text(const sim::ThresholdResult& result);

}  // namespace reports
