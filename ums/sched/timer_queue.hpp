// Deadlines of one scheduler, nearest first: a binary heap whose entries know their position, so that a wait that ended early can remove
// its deadline. Used by the scheduler's own thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ums/base/units.hpp"

namespace ums {

// Owned by the waiting code; must stay in place while it is in the queue.
struct Timer {
    static constexpr std::size_t kNotQueued = std::numeric_limits<std::size_t>::max();

    std::uint64_t deadline_ns = 0;
    std::uint64_t order = 0;  // equal deadlines fire in the order in which they were set, which replays need
    std::size_t place = kNotQueued;
    void (*fire)(Timer& timer) = nullptr;
};

class TimerQueue {
public:
    void add(Timer& timer);
    // No effect if the timer is not queued (any more).
    void remove(Timer& timer);
    // The nearest deadline, or kNever.
    [[nodiscard]] std::uint64_t next_deadline_ns() const { return heap_.empty() ? kNever : heap_.front()->deadline_ns; }
    // Removes every timer that is due and calls its `fire`.
    void fire_due(std::uint64_t now_ns);

private:
    [[nodiscard]] static bool before(const Timer& a, const Timer& b);
    void place_at(std::size_t place, Timer& timer);
    void sift_up(std::size_t place);
    void sift_down(std::size_t place);

    std::vector<Timer*> heap_;
    std::uint64_t next_order_ = 0;
};

}  // namespace ums
