// The figures of `ioproof bench` as comma-separated values (RFC 4180), for spreadsheets: a line for the reads and one for the writes of
// each target in each round, and the sums. Empty cells: not known. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reports {

// The first line, with the names of the columns.
[[nodiscard]] std::string measure_csv_head();

// `document` is what measure_json() makes, with "rounds" or without, or what bench_json() makes.
[[nodiscard]] std::string measure_csv(const nlohmann::ordered_json& document);

}  // namespace reports
