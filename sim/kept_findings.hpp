// Which findings are kept or shown, of a run on a broken disk that may have millions.
#pragma once

#include <bitset>
#include <cstddef>

#include "sim/finding.hpp"

namespace sim {

// By the results. All of them go to the sink.
inline constexpr std::size_t kFindingsKept = 10'000;

// The first findings, the first of each kind, and as many warnings. Not synchronized.
class KeptFindings {
public:
    explicit KeptFindings(std::size_t count_max = kFindingsKept) : count_max_(count_max) {}

    // Must be called for every finding, in order. True if it is kept.
    [[nodiscard]] bool keeps(const Finding& finding) {
        if (finding.is_warning) return ++warnings_ <= count_max_;
        const auto kind = static_cast<std::size_t>(finding.kind);
        const bool is_new_kind = !kinds_[kind];
        kinds_.set(kind);
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
