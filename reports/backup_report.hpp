// The backups of a run, as a block of the text report and as JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/results.hpp"

namespace reports {

// Empty if the run made no backups.
std::string backup_text(const sim::Results& results);

// Described in docs/results.schema.json.
[[nodiscard]] nlohmann::ordered_json backup_json(const sim::BackupResult& backup);

}  // namespace reports
