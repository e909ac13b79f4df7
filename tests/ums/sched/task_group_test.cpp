#include "ums/sched/task_group.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/scheduler_run.hpp"

namespace ums {
namespace {

using testing::run_real;
using testing::run_virtual;
using testing::RunOptions;
using testing::World;

TEST_CASE("join waits for every task of the group, and returns immediately if there is none") {
    std::vector<std::string> log;
    run_virtual({}, [&](World& world) -> Task<void> {
        TaskGroup group;
        co_await group.join();
        auto work = [&](std::uint64_t until_ns, std::string name) -> Task<void> {
            co_await sleep_until(until_ns);
            log.push_back(std::move(name));
        };
        Scheduler& here = world.schedulers[0];
        here.spawn(group, "late", work(300, "late"));
        here.spawn(group, "early", work(100, "early"));
        here.spawn(group, "middle", work(200, "middle"));
        co_await group.join();
        log.emplace_back("joined");
        // A group can be reused.
        here.spawn(group, "again", work(400, "again"));
        co_await group.join();
    });
    CHECK(log == std::vector<std::string>{"early", "middle", "late", "joined", "again"});
}

TEST_CASE("several tasks may join a group") {
    int joined = 0;
    run_virtual({}, [&](World& world) -> Task<void> {
        TaskGroup work;
        TaskGroup joiners;
        auto sleep = []() -> Task<void> { co_await sleep_until(1000); };
        auto join = [&]() -> Task<void> {
            co_await work.join();
            ++joined;
        };
        world.schedulers[0].spawn(work, "sleep", sleep());
        for (int i = 0; i < 3; ++i) world.schedulers[0].spawn(joiners, "join", join());
        co_await joiners.join();
    });
    CHECK(joined == 3);
}

TEST_CASE("join rethrows the first exception, after all tasks have ended, and only once") {
    std::vector<std::string> log;
    run_virtual({}, [&](World& world) -> Task<void> {
        TaskGroup group;
        auto fail = [&](std::uint64_t until_ns, std::string message) -> Task<void> {
            co_await sleep_until(until_ns);
            log.push_back("end " + message);
            throw std::runtime_error(message);
        };
        world.schedulers[0].spawn(group, "b", fail(200, "second"));
        world.schedulers[0].spawn(group, "a", fail(100, "first"));
        try {
            co_await group.join();
        } catch (const std::runtime_error& error) {
            log.push_back(std::string("caught ") + error.what());
        }
        co_await group.join();
        log.emplace_back("quiet");
    });
    CHECK(log == std::vector<std::string>{"end first", "end second", "caught first", "quiet"});
}

TEST_CASE("a spawned task runs on its scheduler under its own name, a forked one under its parent's") {
    struct Seen {
        std::uint32_t scheduler;
        std::string name;
        bool operator==(const Seen&) const = default;
    };
    std::vector<Seen> seen;
    run_virtual(RunOptions{.cpu_count = 3}, [&](World& world) -> Task<void> {
        auto note = [&]() -> Task<void> {
            co_await Scheduler::current().yield();
            seen.push_back(Seen{Scheduler::current().id(), Scheduler::current().worker().name});
        };
        auto parent = [&]() -> Task<void> {
            TaskGroup children;
            Scheduler::current().fork(children, note());
            Scheduler::current().fork(children, note());
            co_await children.join();
            co_await note();
        };
        TaskGroup group;
        world.schedulers[2].spawn(group, "User 7", parent());
        co_await group.join();
        world.schedulers[1].spawn(group, "LazyWriter", note());
        co_await group.join();
        co_await note();
    });
    CHECK(seen == std::vector<Seen>{{2, "User 7"}, {2, "User 7"}, {2, "User 7"}, {1, "LazyWriter"}, {0, "Main"}});
}

TEST_CASE("tasks on all schedulers start tasks on all schedulers, and none is lost") {
    constexpr std::uint32_t kSchedulers = 4;
    constexpr int kRounds = 150;
    std::atomic<int> ran{0};
    run_real(
        RunOptions{.cpu_count = kSchedulers, .sleep_ns_min = 20 * kNsPerSecond},
        [&](World& world) -> Task<void> {
            auto leaf = [&]() -> Task<void> {
                ran.fetch_add(1);
                co_return;
            };
            auto spread = [&]() -> Task<void> {
                for (int round = 0; round < kRounds; ++round) {
                    TaskGroup group;  // destroyed as soon as the last of the others has counted down
                    for (std::uint32_t id = 0; id < kSchedulers; ++id) world.schedulers[id].spawn(group, "leaf", leaf());
                    Scheduler::current().fork(group, leaf());
                    co_await group.join();
                }
            };
            TaskGroup group;
            for (std::uint32_t id = 0; id < kSchedulers; ++id) world.schedulers[id].spawn(group, "spread", spread());
            co_await group.join();
        },
        [](World& world) {
            for (std::uint32_t id = 0; id < kSchedulers; ++id) CHECK(world.storage.engine(id).expired_waits() == 0);
        });
    CHECK(ran == static_cast<int>(kSchedulers) * kRounds * (static_cast<int>(kSchedulers) + 1));
}

TEST_CASE("an exception crosses from one scheduler to another") {
    std::string caught;
    run_real(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
        auto fail = [](int round) -> Task<void> {
            co_await Scheduler::current().yield();
            throw std::runtime_error("round " + std::to_string(round));
        };
        for (int round = 0; round < 50; ++round) {
            TaskGroup group;
            world.schedulers[1].spawn(group, "fail", fail(round));
            try {
                co_await group.join();
            } catch (const std::runtime_error& error) {
                caught = error.what();
            }
        }
    });
    CHECK(caught == "round 49");
}

TEST_CASE("destroying a group whose tasks still run is an internal error") {
    CHECK(testing::aborts([] {
        run_virtual({}, [](World& world) -> Task<void> {
            auto sleep = []() -> Task<void> { co_await sleep_until(1000); };
            TaskGroup group;
            world.schedulers[0].spawn(group, "sleep", sleep());
            co_return;
        });
    }));
}

}  // namespace
}  // namespace ums
