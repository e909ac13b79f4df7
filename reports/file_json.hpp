// What a run knows of a file, for programs: docs/results.schema.json, "files". Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/results.hpp"

namespace reports {

// Its figures, the drive that it is on, how long its requests took, and what it did second by second.
[[nodiscard]] nlohmann::ordered_json file_json(const sim::FileResult& file);

}  // namespace reports
