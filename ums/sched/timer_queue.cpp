#include "ums/sched/timer_queue.hpp"

#include <utility>

#include "ums/base/assert.hpp"

namespace ums {

bool TimerQueue::before(const Timer& a, const Timer& b) { return std::pair(a.deadline_ns, a.order) < std::pair(b.deadline_ns, b.order); }

void TimerQueue::place_at(std::size_t place, Timer& timer) {
    heap_[place] = &timer;
    timer.place = place;
}

void TimerQueue::sift_up(std::size_t place) {
    Timer& timer = *heap_[place];
    while (place > 0) {
        const std::size_t parent = (place - 1) / 2;
        if (!before(timer, *heap_[parent])) break;
        place_at(place, *heap_[parent]);
        place = parent;
    }
    place_at(place, timer);
}

void TimerQueue::sift_down(std::size_t place) {
    Timer& timer = *heap_[place];
    for (;;) {
        std::size_t child = 2 * place + 1;
        if (child >= heap_.size()) break;
        if (child + 1 < heap_.size() && before(*heap_[child + 1], *heap_[child])) ++child;
        if (!before(*heap_[child], timer)) break;
        place_at(place, *heap_[child]);
        place = child;
    }
    place_at(place, timer);
}

void TimerQueue::add(Timer& timer) {
    UMS_ASSERT(timer.place == Timer::kNotQueued && timer.fire != nullptr);
    timer.order = next_order_++;
    heap_.push_back(&timer);
    timer.place = heap_.size() - 1;
    sift_up(timer.place);
}

void TimerQueue::remove(Timer& timer) {
    if (timer.place == Timer::kNotQueued) return;
    const std::size_t place = timer.place;
    timer.place = Timer::kNotQueued;
    Timer& last = *heap_.back();
    heap_.pop_back();
    if (&last == &timer) return;
    place_at(place, last);
    sift_up(place);
    sift_down(last.place);
}

void TimerQueue::fire_due(std::uint64_t now_ns) {
    while (!heap_.empty() && heap_.front()->deadline_ns <= now_ns) {
        Timer& timer = *heap_.front();
        remove(timer);
        timer.fire(timer);
    }
}

}  // namespace ums
