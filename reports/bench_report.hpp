// The figures of a measurement, as text and as JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sim/bench/bench_results.hpp"

namespace reports {

[[nodiscard]] std::string bench_text(const sim::BenchResults& results);

inline constexpr std::string_view kBenchDocument = "ioproof bench";
inline constexpr int kBenchVersion = 1;

// One object, with kBenchDocument as its "document". Keys follow the order of the text; values are plain numbers, and the keys end with the
// unit.
[[nodiscard]] nlohmann::ordered_json bench_json(const sim::BenchResults& results);

}  // namespace reports
