// A measurement or a sweep that was read back, as figures with a value for each round: one side of a comparison. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/bench/measure_spec.hpp"

namespace reports {

struct MeasuredFigure {
    std::string name;  // "reads, 99 %"
    std::string unit;
    bool more_is_better = false;
    bool is_judged = false;      // the rate and the average, which vary least, are judged by a baseline
    std::vector<double> values;  // of each round
    bool is_of_bucket = false;   // in us, known only to the bucket of the histogram that holds it
};

// A target, all of them together, or the series of a sweep.
struct MeasuredGroup {
    std::string label;  // class of work, or name of the series; may be empty
    std::string path;
    std::vector<std::pair<std::string, std::string>> asked;  // what was requested, by name
    std::vector<MeasuredFigure> figures;
};

enum class MeasuredKind : std::uint8_t { measurement, own_path, sweep };

struct MeasuredSide {
    std::string name;  // of the file
    MeasuredKind kind{};
    std::string start_utc;  // empty: unknown
    std::string engine;     // likewise
    std::size_t round_count = 1;
    std::uint64_t finding_count = 0;
    bool is_whole = true;                    // not stopped, and nothing failed
    std::optional<bool> wants_verification;  // --verify; nothing: unknown
    std::vector<MeasuredGroup> groups;
    // Of the last round: requests of all targets in each whole interval. Empty: unknown.
    std::uint64_t interval_ms = 0;
    std::vector<std::uint64_t> interval_requests;
};

// Whether a document is from bench or sweep, judging by its beginning.
[[nodiscard]] bool is_measured_document(std::string_view text);

// Reads such a document and checks that it holds the figures of its kind; `name` is for messages. Throws ResultsDocumentError.
[[nodiscard]] nlohmann::ordered_json read_measured_document(std::string_view text, const std::string& name);
[[nodiscard]] MeasuredSide read_measured_side(std::string_view text, const std::string& name);

// From a document that was just made (measure_json()), with or without "rounds".
[[nodiscard]] MeasuredSide measured_side_of(const nlohmann::ordered_json& document, const std::string& name);

// From what is about to be measured, without figures.
[[nodiscard]] MeasuredSide measured_side_of(const sim::MeasureTimespan& spec);

}  // namespace reports
