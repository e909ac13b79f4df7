// The figures of a measurement, for people and for programs. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sim/bench/bench_results.hpp"

namespace reports {

[[nodiscard]] std::string bench_text(const sim::BenchResults& results);

inline constexpr std::string_view kBenchDocument = "ioproof bench";
inline constexpr int kBenchVersion = 1;

// One object, kBenchDocument as its "document"; keys as in the text's order; numbers without units in their own, the unit last in the key.
[[nodiscard]] nlohmann::ordered_json bench_json(const sim::BenchResults& results);

}  // namespace reports
