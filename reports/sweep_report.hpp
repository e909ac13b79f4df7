// A sweep: the same measurement repeated with different depths, threads, block sizes and mixes. Its document, table, CSV and page. Pure.
//
// The document (kSweepDocument) holds what was requested, and a point for each combination that was measured; an interrupted sweep
// continues from it. Figures have their units.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/bench/measure_results.hpp"

namespace reports {

inline constexpr std::string_view kSweepDocument = "ioproof sweep";
inline constexpr int kSweepVersion = 1;

// One combination.
struct SweepKey {
    std::uint32_t depth = 1;    // outstanding requests of all threads of a file together
    std::uint32_t threads = 1;  // of each file
    std::uint32_t block_bytes = 8192;
    std::uint32_t write_percent = 0;

    friend bool operator==(const SweepKey&, const SweepKey&) = default;
};

[[nodiscard]] nlohmann::ordered_json sweep_point(const SweepKey& key, const sim::MeasureTimespanResults& timespan);
[[nodiscard]] SweepKey key_of_point(const nlohmann::ordered_json& point);

// `asked`: what the command line requested, as text; two sweeps with the same text can be joined. `count`: the number of combinations.
[[nodiscard]] nlohmann::ordered_json sweep_document(const std::vector<std::string>& files, const std::vector<std::string>& asked,
                                                    std::size_t count, const std::vector<nlohmann::ordered_json>& points);
// Notes in a sweep's document what ended it before its end: `failed` is the measurement of the point at which it ended. `findings` is their
// number, `failure` is empty if nothing failed. A call that continues the sweep does not keep either.
void add_sweep_failure(nlohmann::ordered_json& document, const sim::MeasureResults& failed);
// The points of a document that was read back. Throws ResultsDocumentError if it is not a sweep, or if something else was requested.
[[nodiscard]] std::vector<nlohmann::ordered_json> points_of_sweep(std::string_view text, const std::string& name,
                                                                  const std::vector<std::string>& files,
                                                                  const std::vector<std::string>& asked);

// Makes a document that was read back anew from its points, with what ended it. Throws ResultsDocumentError.
[[nodiscard]] nlohmann::ordered_json sweep_anew(const nlohmann::ordered_json& document, const std::string& name);

// The table, and in words the knee of each series over depths.
[[nodiscard]] std::string sweep_text(const nlohmann::ordered_json& document);
// A line of names, then one line for each point.
[[nodiscard]] std::string sweep_csv(const nlohmann::ordered_json& document);
[[nodiscard]] std::string sweep_csv_head();
[[nodiscard]] std::string html_sweep(const nlohmann::ordered_json& document);

}  // namespace reports
