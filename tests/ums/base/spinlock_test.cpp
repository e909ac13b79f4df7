#include "ums/base/spinlock.hpp"

#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

namespace ums {
namespace {

TEST_CASE("only one thread at a time holds a spinlock") {
    Spinlock lock;
    CHECK(lock.try_lock());
    CHECK_FALSE(lock.try_lock());
    lock.unlock();
    CHECK(lock.try_lock());
    lock.unlock();
}

TEST_CASE("changes that four threads make under a spinlock are not lost") {
    constexpr int kThreads = 4;
    constexpr int kRounds = 20'000;
    Spinlock lock;
    int counter = 0;  // plain on purpose
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < kRounds; ++round) {
                const std::lock_guard guard(lock);
                ++counter;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(counter == kThreads * kRounds);
}

}  // namespace
}  // namespace ums
