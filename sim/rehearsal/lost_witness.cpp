#include "sim/rehearsal/lost_witness.hpp"

#include <algorithm>

namespace sim {

namespace {

// As in a group, but shorter: after this time a silent owner counts as lost, and so does a witness that does not answer.
constexpr std::uint64_t kLeaseNs = 300 * ums::kNsPerMs;
constexpr std::uint64_t kPatienceNs = 800 * ums::kNsPerMs;
// An owner that has ended tries to report it for this long.
constexpr std::uint64_t kFarewellNs = 500 * ums::kNsPerMs;

}  // namespace

void LostWitness::begin() { plan_ = drawn_.after(clock_.now_ns()); }

bool LostWitness::has_heard_of_end() const {
    if (ended_ns_ == ums::kNever) return false;
    const bool was_away = is_of_witness(plan_.loss) && plan_.is_now(ended_ns_);
    return !was_away || plan_.until_ns <= ended_ns_ + kFarewellNs;
}

// A witness that was away starts all leases anew.
RunGroup::Owner LostWitness::owner_at(std::uint64_t now_ns) const {
    if (has_heard_of_end() && ended_ns_ <= now_ns) return RunGroup::Owner::ended;
    std::uint64_t heard_ns = now_ns;
    if (is_of_owner(plan_.loss) && plan_.is_now(now_ns)) heard_ns = plan_.from_ns;
    if (is_of_witness(plan_.loss) && ended_ns_ <= now_ns) heard_ns = std::min(plan_.until_ns, now_ns);
    return now_ns - heard_ns > kLeaseNs ? RunGroup::Owner::lost : RunGroup::Owner::works;
}

RunGroup::Owner LostWitness::owner() const {
    const std::uint64_t now_ns = clock_.now_ns();
    if (answers()) return owner_at(now_ns);
    return now_ns - plan_.from_ns > kPatienceNs ? RunGroup::Owner::unknown : owner_at(plan_.from_ns);
}

}  // namespace sim
