#include "sim/rehearsal/host_loss.hpp"

#include <algorithm>
#include <array>

namespace sim {

namespace {

constexpr std::array<std::string_view, kHostLossCount> kLossNames = {"none", "owner_killed", "owner_frozen", "witness_away",
                                                                     "witness_lost"};

constexpr std::uint64_t kBeginsWithinMs = 900;
// From shorter to longer than the leases and the patience in a rehearsal.
constexpr std::uint64_t kAwayMinMs = 50;
constexpr std::uint64_t kAwayMaxMs = 2000;

}  // namespace

std::string_view name_of(HostLoss loss) { return kLossNames.at(static_cast<std::size_t>(loss)); }

std::optional<HostLoss> host_loss_of(std::string_view name) {
    const auto found = std::find(kLossNames.begin(), kLossNames.end(), name);
    if (found == kLossNames.end()) return std::nullopt;
    return static_cast<HostLoss>(found - kLossNames.begin());
}

LossPlan LossPlan::after(std::uint64_t ns) const {
    const auto later = [ns](std::uint64_t time_ns) { return time_ns == ums::kNever ? time_ns : time_ns + ns; };
    return {loss, later(from_ns), later(until_ns)};
}

LossPlan draw_loss(std::optional<HostLoss> wanted, std::span<const HostLoss> possible, ums::Prng& prng) {
    LossPlan plan;
    const HostLoss drawn = prng.below(2) == 0 ? HostLoss::none : possible[prng.below(possible.size())];
    const std::uint64_t from_ns = prng.below(kBeginsWithinMs) * ums::kNsPerMs;
    const std::uint64_t length_ns = prng.between(kAwayMinMs, kAwayMaxMs) * ums::kNsPerMs;
    plan.loss = wanted.value_or(drawn);
    if (plan.loss == HostLoss::none) return plan;
    plan.from_ns = from_ns;
    const bool comes_back = plan.loss == HostLoss::owner_frozen || plan.loss == HostLoss::witness_away;
    if (comes_back) plan.until_ns = from_ns + length_ns;
    return plan;
}

}  // namespace sim
