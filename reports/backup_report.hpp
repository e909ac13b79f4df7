// The backups of a run: as a block of the text report, and for programs. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/results.hpp"

namespace reports {

// Empty if the run made no backups.
std::string backup_text(const sim::Results& results);

// docs/results.schema.json describes it.
[[nodiscard]] nlohmann::ordered_json backup_json(const sim::BackupResult& backup);

}  // namespace reports
