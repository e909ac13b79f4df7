// Which results files make one result, and in which order. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/merged_members.hpp"
#include "reports/merged_results.hpp"

namespace reports {

// One of the files that are merged.
struct MergedHost {
    const NamedResults* file = nullptr;
    std::optional<MergedMember> member;
    std::uint64_t start_utc_us = 0;  // by the witness's clock where its offset is known

    [[nodiscard]] const nlohmann::ordered_json& results() const { return *file->results; }
    // "turn 2, rank 1 on db1"; the file's name if the run was in no group.
    [[nodiscard]] std::string name() const;
};

// Throws ResultsDocumentError if one of the files is not of the same group and plan as the first one. `all`: at least one.
void refuse_other_groups(const std::vector<NamedResults>& all);

// By turn and rank if they are of a group, otherwise in the given order. `all`: at least one; must outlive the result. Throws
// ResultsDocumentError if the files do not belong together, or if one is given twice.
[[nodiscard]] std::vector<MergedHost> merged_hosts(const std::vector<NamedResults>& all);

}  // namespace reports
