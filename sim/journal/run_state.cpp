#include "sim/journal/run_state.hpp"

#include <utility>

namespace sim {

void RunState::stop(Outcome outcome, std::string reason) {
    {
        const std::lock_guard guard(mutex_);
        const bool first = outcome_ == Outcome::passed;
        if (first || (outcome_ == Outcome::stopped && outcome != Outcome::stopped)) {
            outcome_ = outcome;
            reason_ = std::move(reason);
        } else if (outcome_ == outcome && reason_.empty()) {
            reason_ = std::move(reason);
        }
        stopping_.store(true, std::memory_order_release);
    }
    users_stop_.set();
}

Outcome RunState::outcome() const {
    const std::lock_guard guard(mutex_);
    return outcome_;
}

std::string RunState::reason() const {
    const std::lock_guard guard(mutex_);
    return reason_;
}

void RunState::end_users() {
    users_are_ending_.store(true, std::memory_order_release);
    users_stop_.set();
}

void RunState::release_users() {
    const std::lock_guard guard(mutex_);
    if (!is_stopping()) users_stop_.reset();
}

}  // namespace sim
