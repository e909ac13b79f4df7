#include "sim/run/kept_phases.hpp"

#include <algorithm>
#include <utility>

namespace sim {

void KeptPhases::add(const PhaseResult& phase) {
    if (first_.size() < kWholeAtEachEnd) return first_.push_back(phase);
    last_.push_back(phase);
    if (last_.size() <= kWholeAtEachEnd) return;
    add_to_sum(last_.front());
    last_.pop_front();
}

void KeptPhases::add_to_sum(const PhaseResult& phase) {
    const auto same = std::find_if(sums_.begin(), sums_.end(), [&](const PhaseResult& sum) { return sum.phase == phase.phase; });
    if (same == sums_.end()) {
        sums_.push_back(phase);
    } else {
        *same += phase;
    }
}

std::vector<PhaseResult> KeptPhases::take() {
    std::vector<PhaseResult> all = std::exchange(first_, {});
    all.insert(all.end(), sums_.begin(), sums_.end());
    all.insert(all.end(), last_.begin(), last_.end());
    sums_.clear();
    last_.clear();
    return all;
}

}  // namespace sim
