// What a run knows about a file, as JSON: docs/results.schema.json, "files". Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/results.hpp"

namespace reports {

// Its figures, its drive, how long its requests took, and what it did second by second.
[[nodiscard]] nlohmann::ordered_json file_json(const sim::FileResult& file);

}  // namespace reports
