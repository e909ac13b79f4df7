// Which host of a group is lost in a rehearsal, and for how long: the owner of the files, or the witness. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"

namespace sim {

enum class HostLoss : std::uint8_t {
    none,
    owner_killed,  // its host is gone at once: of each page that it was writing, all, nothing or some sectors arrive
    owner_frozen,  // it stands still for a while, as a virtual machine does that is migrated, and then continues as if nothing had happened
    witness_away,  // the witness is stopped, and started again after a while
    witness_lost,  // ... and never started again
};

inline constexpr std::uint32_t kHostLossCount = 5;

[[nodiscard]] std::string_view name_of(HostLoss loss);
[[nodiscard]] std::optional<HostLoss> host_loss_of(std::string_view name);
[[nodiscard]] inline bool is_of_witness(HostLoss loss) { return loss == HostLoss::witness_away || loss == HostLoss::witness_lost; }
[[nodiscard]] inline bool is_of_owner(HostLoss loss) { return loss == HostLoss::owner_killed || loss == HostLoss::owner_frozen; }

// A loss and its time, relative to a moment that the rehearsal chooses.
struct LossPlan {
    HostLoss loss = HostLoss::none;
    std::uint64_t from_ns = ums::kNever;
    std::uint64_t until_ns = ums::kNever;

    [[nodiscard]] bool is_now(std::uint64_t ns) const { return from_ns <= ns && ns < until_ns; }
    // The same loss, this much later.
    [[nodiscard]] LossPlan after(std::uint64_t ns) const;
};

// `wanted`, unless it is empty: then nothing is lost in half of all cases, and in the others each of `possible` is equally likely.
[[nodiscard]] LossPlan draw_loss(std::optional<HostLoss> wanted, std::span<const HostLoss> possible, ums::Prng& prng);

}  // namespace sim
