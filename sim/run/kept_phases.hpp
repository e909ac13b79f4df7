// The phases of a run that may have millions of them, as its results keep them.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "sim/results.hpp"

namespace sim {

// The first and the last ones whole, and between them one sum for each kind of phase. Not synchronized.
class KeptPhases {
public:
    static constexpr std::size_t kWholeAtEachEnd = 500;

    void add(const PhaseResult& phase);
    // In order; a sum counts as if it were at the place of the first that is left out.
    [[nodiscard]] std::vector<PhaseResult> take();

private:
    void add_to_sum(const PhaseResult& phase);

    std::vector<PhaseResult> first_;
    std::vector<PhaseResult> sums_;
    std::deque<PhaseResult> last_;
};

}  // namespace sim
