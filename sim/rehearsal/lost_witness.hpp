// What a witness tells readers about the owner of their files, in a rehearsal in which the owner or the witness is lost. For virtual time,
// one thread.
#pragma once

#include <cstdint>

#include "sim/group/run_group.hpp"
#include "sim/rehearsal/host_loss.hpp"
#include "ums/base/clock.hpp"

namespace sim {

class LostWitness {
public:
    // `clock` must outlive it.
    LostWitness(const ums::Clock& clock, const LossPlan& plan) : clock_(clock), drawn_(plan) {}

    // The owner's main run begins; times count from here.
    void begin();
    // The owner has just ended.
    void owner_ended() { ended_ns_ = clock_.now_ns(); }

    // What is lost, and when, by the clock.
    [[nodiscard]] const LossPlan& plan() const { return plan_; }
    [[nodiscard]] bool is_owner_gone() const { return plan_.loss == HostLoss::owner_killed && plan_.is_now(clock_.now_ns()); }
    [[nodiscard]] bool was_anybody_lost() const { return plan_.from_ns < (is_of_owner(plan_.loss) ? ended_ns_ : clock_.now_ns()); }
    [[nodiscard]] bool answers() const { return !is_of_witness(plan_.loss) || !plan_.is_now(clock_.now_ns()); }
    // What a reader knows about the owner: what the witness says, or said last.
    [[nodiscard]] RunGroup::Owner owner() const;

private:
    [[nodiscard]] bool has_heard_of_end() const;
    [[nodiscard]] RunGroup::Owner owner_at(std::uint64_t now_ns) const;

    const ums::Clock& clock_;
    const LossPlan drawn_;
    LossPlan plan_;
    std::uint64_t ended_ns_ = ums::kNever;
};

}  // namespace sim
