// Which findings the results keep, of a run on a broken disk that may have millions. All of them go to the sink.
#pragma once

#include <bitset>
#include <cstddef>

#include "sim/finding.hpp"

namespace sim {

inline constexpr std::size_t kFindingsKept = 10'000;

// The first findings, the first of each kind, and as many warnings. Not synchronized.
class KeptFindings {
public:
    // Must be called for every finding, in order. True if it is kept.
    [[nodiscard]] bool keeps(const Finding& finding) {
        if (finding.is_warning) return ++warnings_ <= kFindingsKept;
        const auto kind = static_cast<std::size_t>(finding.kind);
        const bool is_new_kind = !kinds_[kind];
        kinds_.set(kind);
        return ++findings_ <= kFindingsKept || is_new_kind;
    }

private:
    std::size_t findings_ = 0;
    std::size_t warnings_ = 0;
    std::bitset<kFindingKindCount> kinds_;
};

}  // namespace sim
