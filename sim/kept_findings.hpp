// A run on a broken disk may have millions of findings. This decides which of them are kept, and which are shown.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>

#include "sim/finding.hpp"

namespace sim {

// By the results. All of them go to the sink.
inline constexpr std::size_t kFindingsKept = 10'000;

// The first findings, the first of each kind, and as many warnings. Not synchronized.
class KeptFindings {
public:
    explicit KeptFindings(std::size_t count_max = kFindingsKept) : count_max_(count_max) {}

    // Must be called for every finding, in order. True if it is kept.
    [[nodiscard]] bool keeps(const Finding& finding) { return keeps(finding.kind, finding.is_warning); }

    // The same for a finding from a document; nullopt: a kind that this version does not know, which is only counted.
    [[nodiscard]] bool keeps(std::optional<FindingKind> kind, bool is_warning) {
        if (is_warning) return ++warnings_ <= count_max_;
        const bool is_new_kind = kind && !kinds_[static_cast<std::size_t>(*kind)];
        if (kind) kinds_.set(static_cast<std::size_t>(*kind));
        return ++findings_ <= count_max_ || is_new_kind;
    }

    // The last finding was the first that only a new kind would keep.
    [[nodiscard]] bool has_just_filled_up() const { return findings_ == count_max_ + 1; }

private:
    const std::size_t count_max_;
    std::size_t findings_ = 0;
    std::size_t warnings_ = 0;
    std::bitset<kFindingKindCount> kinds_;
};

}  // namespace sim
