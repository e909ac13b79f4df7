// Whether the run continues: a person's request, a finding with StopOnError, or storage that is gone ends it. Everything that loops or
// sleeps checks here.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "sim/results.hpp"
#include "ums/sched/event.hpp"

namespace sim {

class RunState {
public:
    // Any thread, any time; the first reason counts, but a failure outranks a person's request, and a reason outranks an empty one.
    void stop(Outcome outcome, std::string reason);

    [[nodiscard]] bool is_stopping() const { return stopping_.load(std::memory_order_acquire); }
    [[nodiscard]] Outcome outcome() const;
    [[nodiscard]] std::string reason() const;

    // A request did not come back within two minutes: the run may never drain.
    void record_lost_request() { lost_requests_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t lost_requests() const { return lost_requests_.load(std::memory_order_relaxed); }

    // Set while users must not continue: the main run is over, or the entire run is. Users sleep on it.
    [[nodiscard]] ums::Event& users_stop() { return users_stop_; }
    [[nodiscard]] bool users_must_stop() const { return users_stop_.is_set(); }
    // The main run begins: users may work, unless the run is stopping.
    void release_users();
    // The main run is over: users end, and requests that they have not yet posted are abandoned, until users_have_ended().
    void end_users();
    void users_have_ended() { users_are_ending_.store(false, std::memory_order_release); }
    [[nodiscard]] bool users_are_ending() const { return users_are_ending_.load(std::memory_order_acquire); }

private:
    std::atomic<bool> stopping_{false};
    std::atomic<std::uint64_t> lost_requests_{0};
    std::atomic<bool> users_are_ending_{false};
    ums::Event users_stop_;
    mutable std::mutex mutex_;  // guards the rest
    Outcome outcome_ = Outcome::passed;
    std::string reason_;
};

}  // namespace sim
