#include "ums/sched/timer_queue.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

namespace ums {
namespace {

struct Alarm : Timer {
    int id = 0;
    std::vector<int>* rung = nullptr;
};

void ring(Timer& timer) {
    auto& alarm = static_cast<Alarm&>(timer);
    alarm.rung->push_back(alarm.id);
}

struct Alarms {
    std::vector<int> rung;
    std::deque<Alarm> alarms;

    Alarm& make(std::uint64_t deadline_ns) {
        Alarm& alarm = alarms.emplace_back();
        alarm.deadline_ns = deadline_ns;
        alarm.fire = ring;
        alarm.id = static_cast<int>(alarms.size()) - 1;
        alarm.rung = &rung;
        return alarm;
    }
};

TEST_CASE("timers fire when due, nearest first, equal ones in the order in which they were set") {
    Alarms alarms;
    TimerQueue queue;
    CHECK(queue.next_deadline_ns() == kNever);
    for (const std::uint64_t deadline_ns : {50U, 10U, 30U, 10U, 20U, 10U}) queue.add(alarms.make(deadline_ns));
    CHECK(queue.next_deadline_ns() == 10);
    queue.fire_due(9);
    CHECK(alarms.rung.empty());
    queue.fire_due(29);
    CHECK(alarms.rung == std::vector{1, 3, 5, 4});
    CHECK(queue.next_deadline_ns() == 30);
    queue.fire_due(1000);
    CHECK(alarms.rung == std::vector{1, 3, 5, 4, 2, 0});
    CHECK(queue.next_deadline_ns() == kNever);
}

TEST_CASE("a timer that was removed does not fire, and removing it again has no effect") {
    Alarms alarms;
    TimerQueue queue;
    Alarm& first = alarms.make(10);
    Alarm& second = alarms.make(20);
    queue.add(first);
    queue.add(second);
    queue.remove(first);
    queue.remove(first);
    CHECK(queue.next_deadline_ns() == 20);
    queue.fire_due(100);
    queue.remove(second);
    CHECK(alarms.rung == std::vector{1});
}

TEST_CASE("a timer that fires may set itself again and remove others") {
    struct Chain : Timer {
        TimerQueue* queue = nullptr;
        Timer* victim = nullptr;
        int left = 3;
    };
    TimerQueue queue;
    Alarms alarms;
    Alarm& victim = alarms.make(5);
    Chain chain;
    chain.queue = &queue;
    chain.victim = &victim;
    chain.deadline_ns = 1;
    chain.fire = [](Timer& timer) {
        auto& self = static_cast<Chain&>(timer);
        self.queue->remove(*self.victim);
        if (--self.left > 0) {
            ++self.deadline_ns;
            self.queue->add(self);
        }
    };
    queue.add(victim);
    queue.add(chain);
    queue.fire_due(100);
    CHECK(chain.left == 0);
    CHECK(alarms.rung.empty());
}

TEST_CASE("random adding, removing and firing agree with a sorted list") {
    const std::uint64_t seed = testing::test_seed("timer queue");
    Prng prng(seed);
    Alarms alarms;
    TimerQueue queue;
    std::vector<const Alarm*> model;  // in the order of firing
    const auto sooner = [](const Alarm* a, const Alarm* b) { return a->deadline_ns < b->deadline_ns; };
    std::uint64_t now = 0;
    for (int step = 0; step < 20'000; ++step) {
        const std::uint64_t choice = prng.below(10);
        if (choice < 6) {
            Alarm& alarm = alarms.make(now + prng.below(50));
            queue.add(alarm);
            model.insert(std::upper_bound(model.begin(), model.end(), &alarm, sooner), &alarm);
        } else if (choice < 9 && !model.empty()) {
            const auto victim = model.begin() + static_cast<std::ptrdiff_t>(prng.below(model.size()));
            queue.remove(alarms.alarms[static_cast<std::size_t>((*victim)->id)]);
            model.erase(victim);
        } else {
            now += prng.below(20);
            std::vector<int> expected;
            while (!model.empty() && model.front()->deadline_ns <= now) {
                expected.push_back(model.front()->id);
                model.erase(model.begin());
            }
            alarms.rung.clear();
            queue.fire_due(now);
            REQUIRE(alarms.rung == expected);
        }
        REQUIRE(queue.next_deadline_ns() == (model.empty() ? kNever : model.front()->deadline_ns));
    }
}

TEST_CASE("setting a timer that is already set is an internal error") {
    CHECK(testing::aborts([] {
        Alarms alarms;
        TimerQueue queue;
        Alarm& alarm = alarms.make(10);
        queue.add(alarm);
        queue.add(alarm);
    }));
}

}  // namespace
}  // namespace ums
